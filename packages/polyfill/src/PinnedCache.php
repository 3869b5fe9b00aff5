<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Store;

/**
 * A cache whose entries stay until you delete them. When the store is full, writes fail.
 * @strict-properties
 */
final class PinnedCache
{
    private function __construct() {}


    public static function get(string $key, mixed $default = null): mixed
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->get($key, $default);
    }

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>|false
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->getMultiple($keys, $default);
    }

    public static function set(string $key, mixed $value): bool
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->set($key, $value, 0);
    }

    /**
     * @param array<array-key, mixed> $values
     */
    public static function setMultiple(array $values): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->setMultiple($values, 0);
    }

    public static function add(string $key, mixed $value): bool
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->set($key, $value, 0, add: true);
    }

    public static function has(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->has($key);
    }

    public static function delete(string $key_or_class): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->delete($key_or_class);
    }

    /**
     * @param array<array-key, int|string> $keys
     */
    public static function deleteMultiple(array $keys): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->deleteMultiple($keys);
    }

    public static function clear(): bool
    {
        Fault::most(\func_num_args(), 0);
        return Cache::pinned()->clear();
    }

    public static function increment(string $key, int $step = 1): int|false
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->add($key, $step, 0);
    }

    public static function decrement(string $key, int $step = 1): int|false
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->add($key, $step, 0, down: true);
    }

    /**
     * Take units of a rate limit, as VolatileCache::throttle() does. The limit is never evicted.
     *
     * @throws StaticCacheException if the store is off, or if the entry is not a rate limit with this $sliding and $per
     */
    public static function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle
    {
        Fault::most(\func_num_args(), 6);
        return Cache::pinned()->throttle($key, $limit, $per, $cost, $wait, $sliding);
    }

    /** Return a value and delete its entry, in one step. */
    public static function take(string $key, mixed $default = null): mixed
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->take($key, $default);
    }

    /**
     * Return a value and the version of its entry. The version of an int is always 0: use compareAndSet().
     *
     * @return array{mixed, int}|null null if there is no such entry
     */
    public static function getVersioned(string $key): ?array
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->getVersioned($key);
    }

    /** Store a value as set() does, but only if the entry has the $version from getVersioned(). Otherwise returns false. */
    public static function replaceIf(string $key, mixed $value, int $version): bool
    {
        Fault::most(\func_num_args(), 3);
        return Cache::pinned()->replaceIf($key, $value, $version, 0);
    }

    /** Delete the entry, but only if it has the $version from getVersioned(). Otherwise returns false. */
    public static function deleteIf(string $key, int $version): bool
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->deleteIf($key, $version);
    }

    /** Replace the int $expected by the int $value. Returns false if the entry has another value. */
    public static function compareAndSet(string $key, int $expected, int $value): bool
    {
        Fault::most(\func_num_args(), 3);
        return Cache::pinned()->compareAndSet($key, $expected, $value);
    }

    public static function lock(string $key, int|float $lease = 0): bool
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->lock($key, $lease);
    }

    public static function unlock(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->unlock($key);
    }

    /**
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public static function remember(string $key, callable $compute): mixed
    {
        Fault::most(\func_num_args(), 2);
        return Cache::pinned()->remember($key, $compute, 0, 0);
    }

    public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType
    {
        Fault::most(\func_num_args(), 2);
        return $class_name === null ? Cache::pinned()->storeType($key_or_property) : CacheStoreType::NotFound;
    }

    public static function info(): StaticCacheInfo
    {
        Fault::most(\func_num_args(), 0);
        return Store::info('pinned');
    }

    public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo
    {
        Fault::most(\func_num_args(), 2);
        return $class_name === null ? Cache::pinned()->keyInfo($key_or_property) : null;
    }

    /** @return \Traversable<int, string>|array<int, string> */
    public static function keys(string $prefix = ''): \Traversable|array
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->keys($prefix);
    }
}
