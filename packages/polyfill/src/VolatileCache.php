<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Record;
use Larder\Polyfill\Store;

/** A cache that evicts the least used entries when it is full. */
final class VolatileCache
{
    private function __construct() {}


    /** Return the value of an entry, or $default. The internal pointer of an array is at the first element. */
    public static function get(string $key, mixed $default = null): mixed
    {
        Fault::most(\func_num_args(), 2);
        return Cache::volatile()->get($key, $default);
    }

    /**
     * Return all keys with their values. A missing key gets its value in $default, or null.
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>|false
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false
    {
        Fault::most(\func_num_args(), 2);
        return Cache::volatile()->getMultiple($keys, $default);
    }

    /** Store a value. Returns false if there is no room. Waits while another process writes. $form has no effect in the polyfill. */
    public static function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        Fault::most(\func_num_args(), 4);
        return Cache::volatile()->set($key, $value, $ttl, $form);
    }

    /**
     * Store several values. Returns true if all were stored. If one has a type that cannot be stored, throws before anything is stored.
     * @param array<array-key, mixed> $values
     */
    public static function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool
    {
        Fault::most(\func_num_args(), 3);
        return Cache::volatile()->setMultiple($values, $ttl, $form);
    }

    /**
     * Store a value as set() does, but only if get() finds no entry. Otherwise returns false. Replaces an entry whose class is gone or has
     * changed.
     */
    public static function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        Fault::most(\func_num_args(), 4);
        return Cache::volatile()->set($key, $value, $ttl, $form, add: true);
    }

    public static function has(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::volatile()->has($key);
    }

    /** Delete an entry. Returns true if there was one. */
    public static function delete(string $key_or_class): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::volatile()->delete($key_or_class);
    }

    /**
     * Delete several entries. Returns true if each of them existed.
     * @param array<array-key, int|string> $keys
     */
    public static function deleteMultiple(array $keys): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::volatile()->deleteMultiple($keys);
    }

    public static function clear(): bool
    {
        Fault::most(\func_num_args(), 0);
        return Cache::volatile()->clear();
    }

    /** Set the time to live of an entry to $ttl seconds from now. Returns false if there is no entry. */
    public static function touch(string $key, int|float $ttl): bool
    {
        Fault::most(\func_num_args(), 2);
        return Cache::volatile()->touch($key, $ttl);
    }

    /**
     * Add to an int, and return the sum. A missing entry counts as 0 and gets $ttl; an existing one keeps its time to live. Returns false
     * if the entry is not an int, or the sum is too large.
     */
    public static function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        Fault::most(\func_num_args(), 3);
        return Cache::volatile()->add($key, $step, $ttl);
    }

    public static function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        Fault::most(\func_num_args(), 3);
        return Cache::volatile()->add($key, $step, $ttl, down: true);
    }

    /**
     * Take $cost units of a rate limit, or none if fewer are available. All processes together may take $limit units in $per seconds. Taken
     * units come back one by one, every $per / $limit seconds (GCRA).
     *
     * - $cost = 0 only reads the limit.
     * - With $wait, the call may take units that come back within $wait seconds. The caller must wait for retryAfter seconds before it uses
     *   them.
     * - With $sliding, a unit comes back $per seconds after it was taken, or up to 4 % later. $limit must then be at most 16383, $per at
     *   least 1, and $wait 0.
     * - All callers that share a key must give the same $limit, $per and $sliding. delete() and eviction reset the limit.
     *
     * @throws StaticCacheException if the store is off, or if the entry is not a rate limit with this $sliding and $per
     */
    public static function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle
    {
        Fault::most(\func_num_args(), 6);
        return Cache::volatile()->throttle($key, $limit, $per, $cost, $wait, $sliding);
    }

    /** Return a value and delete its entry, in one step. */
    public static function take(string $key, mixed $default = null): mixed
    {
        Fault::most(\func_num_args(), 2);
        return Cache::volatile()->take($key, $default);
    }

    /**
     * Return a value and the version of its entry. The version of an int is always 0: use compareAndSet().
     *
     * @return array{mixed, int}|null null if there is no such entry
     */
    public static function getVersioned(string $key): ?array
    {
        Fault::most(\func_num_args(), 1);
        return Cache::volatile()->getVersioned($key);
    }

    /** Store a value as set() does, but only if the entry has the $version from getVersioned(). Otherwise returns false. */
    public static function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool
    {
        Fault::most(\func_num_args(), 4);
        return Cache::volatile()->replaceIf($key, $value, $version, $ttl);
    }

    /** Delete the entry, but only if it has the $version from getVersioned(). Otherwise returns false. */
    public static function deleteIf(string $key, int $version): bool
    {
        Fault::most(\func_num_args(), 2);
        return Cache::volatile()->deleteIf($key, $version);
    }

    /** Replace the int $expected by $value, and keep the time to live. Returns false if the entry has another value. */
    public static function compareAndSet(string $key, int $expected, int $value): bool
    {
        Fault::most(\func_num_args(), 3);
        return Cache::volatile()->compareAndSet($key, $expected, $value);
    }

    /**
     * Lock a key without waiting. Returns false if the key is locked. The lock ends with unlock(), after $lease seconds, or when the
     * request or the process ends. Only remember() of this key waits for the lock, up to 10 seconds; other calls read and write the entry.
     * Only the fiber or coroutine that has taken the lock can unlock it.
     */
    public static function lock(string $key, int|float $lease = 0): bool
    {
        Fault::most(\func_num_args(), 2);
        return Cache::volatile()->lock($key, $lease);
    }

    /** Unlock a key. Returns false if the calling process, fiber or coroutine does not have the lock. */
    public static function unlock(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::volatile()->unlock($key);
    }

    /**
     * Return the value of the entry or, if there is none, store and return the result of $compute(). One process computes, and others wait
     * for it, up to 10 seconds. They also wait for a lock() of the key. With $stale, an expired entry is kept for $stale more seconds: one
     * process computes, and the others get the old value.
     *
     * If waiting could be a deadlock, the call computes the value itself. Fibers of one process wait for each other only after waitWith().
     * $compute() must not call remember() for its own key in the same fiber.
     *
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public static function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed
    {
        Fault::most(\func_num_args(), 5);
        return Cache::volatile()->remember($key, $compute, $ttl, $stale, $form);
    }

    public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType
    {
        Fault::most(\func_num_args(), 2);
        return $class_name === null ? Cache::volatile()->storeType($key_or_property) : CacheStoreType::NotFound;
    }

    public static function info(): StaticCacheInfo
    {
        Fault::most(\func_num_args(), 0);
        return Store::info('volatile');
    }

    public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo
    {
        Fault::most(\func_num_args(), 2);
        return $class_name === null ? Cache::volatile()->keyInfo($key_or_property) : null;
    }

    /**
     * Return the keys that begin with $prefix, in no particular order.
     * @return \Traversable<int, string>|array<int, string>
     */
    public static function keys(string $prefix = ''): \Traversable|array
    {
        Fault::most(\func_num_args(), 1);
        return Cache::volatile()->keys($prefix);
    }

    /** Return the pool with this name (1 to 255 bytes). Storing its first entry creates the pool. $form has no effect in the polyfill. */
    public static function pool(string $name, ?string $form = null): Pool
    {
        Fault::most(\func_num_args(), 2);
        $length = \strlen($name);
        if ($length < 1 || $length > 255) {
            throw Fault::argument(\ValueError::class, 1, "must be between 1 and 255 bytes long, $length given");
        }
        Fault::form($form, 2);
        return Record::make(Pool::class, ['name' => $name, 'cache' => new Cache('volatile', $name)]);
    }
}
