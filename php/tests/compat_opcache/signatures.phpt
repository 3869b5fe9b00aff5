--TEST--
larder: compat opcache: the classes and methods are those of the RFC
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
--SKIPIF--
<?php
if (class_exists('OPcache\VolatileCache') && (new ReflectionClass('OPcache\VolatileCache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
foreach (['VolatileCache', 'PinnedCache', 'StaticCacheInfo'] as $name) {
    $class = new ReflectionClass("OPcache\\$name");
    echo $class->isFinal() ? 'final ' : '', $class->name, "\n";
    foreach ($class->getProperties() as $p) echo "  {$p->getType()} \${$p->name}", $p->isReadOnly() ? '' : ' writable', "\n";
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $m)
        echo $m->isStatic() ? '  static ' : '  ', $m->name, '(', implode(', ', array_map(fn($p) => "{$p->getType()} \$$p->name" . ($p->isOptional() ? ' = ' . json_encode($p->getDefaultValue()) : ''), $m->getParameters())), '): ', $m->getReturnType(), "\n";
    try { new ("OPcache\\$name"); } catch (Error $e) { echo '  ', $e->getMessage(), "\n"; }
}
echo implode(', ', array_column(OPcache\CacheStoreType::cases(), 'name')), "\n";
echo get_parent_class(OPcache\StaticCacheException::class), "\n";
--EXPECT--
final OPcache\VolatileCache
  static get(string $key, mixed $default = null): mixed
  static getMultiple(array $keys, ?array $default = null): array|false
  static set(string $key, mixed $value, int|float $ttl = 0): bool
  static setMultiple(array $values, int|float $ttl = 0): bool
  static has(string $key): bool
  static delete(string $key_or_class): bool
  static deleteMultiple(array $keys): bool
  static clear(): bool
  static lock(string $key, int|float $lease = 0): bool
  static unlock(string $key): bool
  static getCacheStoreType(string $key_or_property, ?string $class_name = null): OPcache\CacheStoreType
  static info(): OPcache\StaticCacheInfo
  Call to private OPcache\VolatileCache::__construct() from global scope
final OPcache\PinnedCache
  static get(string $key, mixed $default = null): mixed
  static getMultiple(array $keys, ?array $default = null): array|false
  static set(string $key, mixed $value): bool
  static setMultiple(array $values): bool
  static has(string $key): bool
  static delete(string $key_or_class): bool
  static deleteMultiple(array $keys): bool
  static clear(): bool
  static lock(string $key, int|float $lease = 0): bool
  static unlock(string $key): bool
  static increment(string $key, int $step = 1): int|false
  static decrement(string $key, int $step = 1): int|false
  static getCacheStoreType(string $key_or_property, ?string $class_name = null): OPcache\CacheStoreType
  static info(): OPcache\StaticCacheInfo
  Call to private OPcache\PinnedCache::__construct() from global scope
final OPcache\StaticCacheInfo
  bool $enabled
  bool $available
  bool $startup_failed
  bool $backend_initialized
  int $configured_memory
  int $shared_memory
  int $entry_count
  int $segment_count
  string $shared_model
  ?string $failure_reason
  Call to private OPcache\StaticCacheInfo::__construct() from global scope
NotFound, Scalar, SharedGraph, OPcacheSerialized, PHPSerialized
Exception
