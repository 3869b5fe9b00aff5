<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Store;

/**
 * Entries that stay until they are deleted: when the store is full, writes fail.
 * @strict-properties
 */
final class PinnedCache
{
    private function __construct() {}


    public static function get(string $key, mixed $default = null): mixed
    {
        return Cache::pinned()->get($key, $default);
    }

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>|false
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false
    {
        return Cache::pinned()->getMultiple($keys, $default);
    }

    public static function set(string $key, mixed $value): bool
    {
        return Cache::pinned()->set($key, $value, 0);
    }

    /**
     * @param array<array-key, mixed> $values
     */
    public static function setMultiple(array $values): bool
    {
        return Cache::pinned()->setMultiple($values, 0);
    }

    public static function add(string $key, mixed $value): bool
    {
        return Cache::pinned()->set($key, $value, 0, add: true);
    }

    public static function has(string $key): bool
    {
        return Cache::pinned()->has($key);
    }

    public static function delete(string $key_or_class): bool
    {
        return Cache::pinned()->delete($key_or_class);
    }

    /**
     * @param array<array-key, int|string> $keys
     */
    public static function deleteMultiple(array $keys): bool
    {
        return Cache::pinned()->deleteMultiple($keys);
    }

    public static function clear(): bool
    {
        return Cache::pinned()->clear();
    }

    public static function increment(string $key, int $step = 1): int|false
    {
        return Cache::pinned()->add($key, $step, 0);
    }

    public static function decrement(string $key, int $step = 1): int|false
    {
        return Cache::pinned()->add($key, $step, 0, down: true);
    }

    public static function lock(string $key, int|float $lease = 0): bool
    {
        return Cache::pinned()->lock($key, $lease);
    }

    public static function unlock(string $key): bool
    {
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
        return Cache::pinned()->remember($key, $compute, 0, 0);
    }

    public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType
    {
        return $class_name === null ? Cache::pinned()->storeType($key_or_property) : CacheStoreType::NotFound;
    }

    public static function info(): StaticCacheInfo
    {
        return Store::info('pinned');
    }

    public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo
    {
        return $class_name === null ? Cache::pinned()->keyInfo($key_or_property) : null;
    }

    /** @return \Traversable<int, string>|array<int, string> */
    public static function keys(string $prefix = ''): \Traversable|array
    {
        return Cache::pinned()->keys($prefix);
    }
}
