--TEST--
larder: immutable_cache: it is there under its name
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
var_dump(extension_loaded('immutable_cache'), phpversion('immutable_cache'), immutable_cache_enabled());
foreach (['LIST_ACTIVE', 'LIST_DELETED', 'ITER_TYPE', 'ITER_KEY', 'ITER_VALUE', 'ITER_NUM_HITS', 'ITER_CTIME', 'ITER_ATIME', 'ITER_REFCOUNT', 'ITER_MEM_SIZE', 'ITER_NONE', 'ITER_ALL'] as $name)
    echo $name, ' ', constant("IMMUTABLE_CACHE_$name"), "\n";
foreach (get_extension_funcs('immutable_cache') as $name) echo $name, "\n";
foreach (['enabled', 'enable_cli', 'shm_size', 'preload_path', 'protect_memory', 'serializer', 'entries_hint', 'shm_segments', 'mmap_file_mask', 'coredump_unmap'] as $name)
    if (ini_get("immutable_cache.$name") === false) echo "no $name\n";
var_dump(ini_set('immutable_cache.enabled', '0'));
--EXPECT--
bool(true)
string(5) "6.1.0"
bool(true)
LIST_ACTIVE 1
LIST_DELETED 2
ITER_TYPE 1
ITER_KEY 2
ITER_VALUE 4
ITER_NUM_HITS 8
ITER_CTIME 32
ITER_ATIME 128
ITER_REFCOUNT 256
ITER_MEM_SIZE 512
ITER_NONE 0
ITER_ALL 4294967295
immutable_cache_enabled
immutable_cache_add
immutable_cache_fetch
immutable_cache_exists
immutable_cache_cache_info
immutable_cache_key_info
immutable_cache_sma_info
bool(false)
