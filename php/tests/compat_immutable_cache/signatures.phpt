--TEST--
larder: compat_immutable_cache: functions, class, constants and directives are those of immutable_cache 6.1
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

foreach (get_extension_funcs('immutable_cache') as $name) {
    $f = new ReflectionFunction($name);
    echo $name, '(', implode(', ', array_map(fn($p) => trim("{$p->getType()} " . ($p->isPassedByReference() ? '&' : '') . '$' . $p->getName()) . ($p->isOptional() ? ' = ' . ($p->isDefaultValueAvailable() ? json_encode($p->getDefaultValue()) : '?') : ''), $f->getParameters())), '): ', $f->getReturnType(), "\n";
}
foreach ((new ReflectionClass('ImmutableCacheIterator'))->getMethods() as $m) echo $m->getName(), '(', $m->getNumberOfRequiredParameters(), ' of ', $m->getNumberOfParameters(), ') ';
echo "\n";
show((new ReflectionClass('ImmutableCacheIterator'))->isFinal(), class_implements('ImmutableCacheIterator'), get_defined_constants(true)['immutable_cache']);
show(ini_get_all('immutable_cache', false));
--EXPECT--
immutable_cache_enabled(): bool
immutable_cache_add($key, mixed $value = ?): array|bool
immutable_cache_fetch($key, &$success = null): mixed
immutable_cache_exists($key): array|bool
immutable_cache_cache_info(bool $limited = false): array|false
immutable_cache_key_info(string $key): ?array
immutable_cache_sma_info(bool $limited = false): array|false
__construct(0 of 4) rewind(0 of 0) next(0 of 0) valid(0 of 0) key(0 of 0) current(0 of 0) getTotalHits(0 of 0) getTotalSize(0 of 0) getTotalCount(0 of 0) 
true {"Iterator":"Iterator","Traversable":"Traversable"} {"IMMUTABLE_CACHE_LIST_ACTIVE":1,"IMMUTABLE_CACHE_LIST_DELETED":2,"IMMUTABLE_CACHE_ITER_TYPE":1,"IMMUTABLE_CACHE_ITER_KEY":2,"IMMUTABLE_CACHE_ITER_VALUE":4,"IMMUTABLE_CACHE_ITER_NUM_HITS":8,"IMMUTABLE_CACHE_ITER_CTIME":32,"IMMUTABLE_CACHE_ITER_ATIME":128,"IMMUTABLE_CACHE_ITER_REFCOUNT":256,"IMMUTABLE_CACHE_ITER_MEM_SIZE":512,"IMMUTABLE_CACHE_ITER_NONE":0,"IMMUTABLE_CACHE_ITER_ALL":4294967295} 
{"immutable_cache.coredump_unmap":"0","immutable_cache.enable_cli":null,"immutable_cache.enabled":"1","immutable_cache.entries_hint":"0","immutable_cache.mmap_file_mask":null,"immutable_cache.preload":null,"immutable_cache.preload_path":null,"immutable_cache.protect_memory":"1","immutable_cache.serializer":"default","immutable_cache.shm_segments":"1","immutable_cache.shm_size":"256M"} 
