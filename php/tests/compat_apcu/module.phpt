--TEST--
larder: compat_apcu: the module apcu is there, with its constants, functions and directives
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

show(extension_loaded('apcu'), phpversion('apcu'), get_defined_constants(true)['apcu']);
show(get_extension_funcs('apcu'), (new ReflectionExtension('apcu'))->getClassNames());
show(ini_get_all('apcu', false));
show(apcu_enabled());
ob_start(); phpinfo(INFO_MODULES); $text = ob_get_clean();
preg_match('/^apcu$.*?^State[^\n]*/ms', $text, $m); echo $m[0], "\n";
--EXPECT--
true "5.1.24" {"APC_LIST_ACTIVE":1,"APC_LIST_DELETED":2,"APC_ITER_TYPE":1,"APC_ITER_KEY":2,"APC_ITER_VALUE":4,"APC_ITER_NUM_HITS":8,"APC_ITER_MTIME":16,"APC_ITER_CTIME":32,"APC_ITER_DTIME":64,"APC_ITER_ATIME":128,"APC_ITER_REFCOUNT":256,"APC_ITER_MEM_SIZE":512,"APC_ITER_TTL":1024,"APC_ITER_NONE":0,"APC_ITER_ALL":4294967295} 
["apcu_clear_cache","apcu_cache_info","apcu_key_info","apcu_sma_info","apcu_enabled","apcu_store","apcu_add","apcu_inc","apcu_dec","apcu_cas","apcu_fetch","apcu_exists","apcu_delete","apcu_entry"] ["APCUIterator"] 
{"apc.cache_static_contents":"0","apc.coredump_unmap":"0","apc.enable_cli":"1","apc.enabled":"1","apc.entries_hint":"4096","apc.gc_ttl":"3600","apc.mmap_file_mask":"","apc.mmap_hugepage_size":"0","apc.preload_path":"","apc.serializer":"php","apc.shm_segments":"1","apc.shm_size":"32M","apc.slam_defense":"0","apc.smart":"0","apc.ttl":"0","apc.use_request_time":"0","apc.user_ttl":"0"} 
true 
apcu

APCu => its API, by Larder 0.1.0
Version of the API => 5.1.24
State => on
