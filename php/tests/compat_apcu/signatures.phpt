--TEST--
larder: compat_apcu: functions and methods have the signatures of APCu
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

$functions = array_map(fn($name) => new ReflectionFunction($name), get_extension_funcs('apcu'));
foreach (array_merge($functions, (new ReflectionClass('APCUIterator'))->getMethods()) as $f) {
    $parameters = array_map(fn($p) => "{$p->getType()} " . ($p->isPassedByReference() ? '&' : '') . $p->getName() . ($p->isDefaultValueAvailable() ? ' = ' . var_export($p->getDefaultValue(), true) : ($p->isOptional() ? ' = ?' : '')), $f->getParameters());
    echo $f->getName(), '(', implode(', ', $parameters), '): ', $f->getReturnType(), "\n";
}
--EXPECT--
apcu_clear_cache(): bool
apcu_cache_info(bool limited = false): array|false
apcu_key_info(string key): ?array
apcu_sma_info(bool limited = false): array|false
apcu_enabled(): bool
apcu_store( key, mixed value = ?, int ttl = 0): array|bool
apcu_add( key, mixed value = ?, int ttl = 0): array|bool
apcu_inc(string key, int step = 1,  &success = NULL, int ttl = 0): int|false
apcu_dec(string key, int step = 1,  &success = NULL, int ttl = 0): int|false
apcu_cas(string key, int old, int new): bool
apcu_fetch( key,  &success = NULL): mixed
apcu_exists( key): array|bool
apcu_delete( key): array|bool
apcu_entry(string key, callable callback, int ttl = 0): mixed
__construct( search = NULL, int format = 4294967295, int chunk_size = 0, int list = 1): 
rewind(): void
next(): void
valid(): bool
key(): string|int
current(): mixed
getTotalHits(): int
getTotalSize(): int
getTotalCount(): int
