--TEST--
larder: cache: the methods are those of the documentation
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

foreach ([VolatileCache::class, PinnedCache::class] as $class)
    foreach ((new ReflectionClass($class))->getMethods(ReflectionMethod::IS_PUBLIC) as $m) {
        echo $m->class, '::', $m->name, '(', implode(', ', array_map(fn($p) => $p->getType() . ' $' . $p->name . ($p->isOptional() ? ' = ' . var_export($p->getDefaultValue(), true) : ''), $m->getParameters())), '): ', $m->getReturnType(), "\n";
    }
--EXPECT--
Larder\VolatileCache::get(string $key, mixed $default = NULL): mixed
Larder\VolatileCache::getMultiple(array $keys, ?array $default = NULL): array|false
Larder\VolatileCache::set(string $key, mixed $value, int|float $ttl = 0, ?string $form = NULL): bool
Larder\VolatileCache::setMultiple(array $values, int|float $ttl = 0, ?string $form = NULL): bool
Larder\VolatileCache::add(string $key, mixed $value, int|float $ttl = 0, ?string $form = NULL): bool
Larder\VolatileCache::has(string $key): bool
Larder\VolatileCache::delete(string $key_or_class): bool
Larder\VolatileCache::deleteMultiple(array $keys): bool
Larder\VolatileCache::clear(): bool
Larder\VolatileCache::touch(string $key, int|float $ttl): bool
Larder\VolatileCache::increment(string $key, int $step = 1, int|float $ttl = 0): int|false
Larder\VolatileCache::decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
Larder\VolatileCache::throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Larder\Throttle
Larder\VolatileCache::take(string $key, mixed $default = NULL): mixed
Larder\VolatileCache::getVersioned(string $key): ?array
Larder\VolatileCache::replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool
Larder\VolatileCache::deleteIf(string $key, int $version): bool
Larder\VolatileCache::compareAndSet(string $key, int $expected, int $value): bool
Larder\VolatileCache::lock(string $key, int|float $lease = 0): bool
Larder\VolatileCache::unlock(string $key): bool
Larder\VolatileCache::remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = NULL): mixed
Larder\VolatileCache::getCacheStoreType(string $key_or_property, ?string $class_name = NULL): Larder\CacheStoreType
Larder\VolatileCache::info(): Larder\StaticCacheInfo
Larder\VolatileCache::keyInfo(string $key_or_property, ?string $class_name = NULL): ?Larder\KeyInfo
Larder\VolatileCache::keys(string $prefix = ''): Traversable|array
Larder\VolatileCache::pool(string $name, ?string $form = NULL): Larder\Pool
Larder\PinnedCache::get(string $key, mixed $default = NULL): mixed
Larder\PinnedCache::getMultiple(array $keys, ?array $default = NULL): array|false
Larder\PinnedCache::set(string $key, mixed $value): bool
Larder\PinnedCache::setMultiple(array $values): bool
Larder\PinnedCache::add(string $key, mixed $value): bool
Larder\PinnedCache::has(string $key): bool
Larder\PinnedCache::delete(string $key_or_class): bool
Larder\PinnedCache::deleteMultiple(array $keys): bool
Larder\PinnedCache::clear(): bool
Larder\PinnedCache::increment(string $key, int $step = 1): int|false
Larder\PinnedCache::decrement(string $key, int $step = 1): int|false
Larder\PinnedCache::throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Larder\Throttle
Larder\PinnedCache::take(string $key, mixed $default = NULL): mixed
Larder\PinnedCache::getVersioned(string $key): ?array
Larder\PinnedCache::replaceIf(string $key, mixed $value, int $version): bool
Larder\PinnedCache::deleteIf(string $key, int $version): bool
Larder\PinnedCache::compareAndSet(string $key, int $expected, int $value): bool
Larder\PinnedCache::lock(string $key, int|float $lease = 0): bool
Larder\PinnedCache::unlock(string $key): bool
Larder\PinnedCache::remember(string $key, callable $compute): mixed
Larder\PinnedCache::getCacheStoreType(string $key_or_property, ?string $class_name = NULL): Larder\CacheStoreType
Larder\PinnedCache::info(): Larder\StaticCacheInfo
Larder\PinnedCache::keyInfo(string $key_or_property, ?string $class_name = NULL): ?Larder\KeyInfo
Larder\PinnedCache::keys(string $prefix = ''): Traversable|array
