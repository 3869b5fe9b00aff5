<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Record;
use Larder\Polyfill\Store;

/**
 * A cache whose entries may be evicted: a full store evicts the least used entries.
 * @strict-properties
 */
final class VolatileCache
{
    private function __construct() {}


    /**
     * Return the value of an entry, or $default on a miss. All calls return arrays as unserialize() would: the internal pointer is at
     * the first element, and [] uses the key above the largest.
     */
    public static function get(string $key, mixed $default = null): mixed
    {
        return Cache::volatile()->get($key, $default);
    }

    /**
     * Return all keys with their values. A missing key gets its value in $default, else null.
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>|false
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false
    {
        return Cache::volatile()->getMultiple($keys, $default);
    }

    /**
     * Store a value. Returns false if there is no room, or if the key's part of the store is busy for longer than 100 ms.
     * $form replaces the setting larder.form for this value, if it is an array, an object or a long string. With "ready" it is read in place,
     * and packed later only if memory is short and no process reads it. With "packed" it takes a fifth of the memory, and each read decodes
     * it, also while there is room. With "auto" it is packed while entries are evicted, and ready otherwise.
     */
    public static function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        return Cache::volatile()->set($key, $value, $ttl, $form);
    }

    /**
     * Store several values. Returns true if all were stored. A value that cannot be stored throws before any is stored.
     * @param array<array-key, mixed> $values
     */
    public static function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool
    {
        return Cache::volatile()->setMultiple($values, $ttl, $form);
    }

    /**
     * Store a value like set(), but only if get() finds no entry; else return false. An entry that cannot be restored, because its
     * class is gone or has changed, is replaced.
     */
    public static function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        return Cache::volatile()->set($key, $value, $ttl, $form, add: true);
    }

    public static function has(string $key): bool
    {
        return Cache::volatile()->has($key);
    }

    /** Delete an entry. Returns true if there was one. */
    public static function delete(string $key_or_class): bool
    {
        return Cache::volatile()->delete($key_or_class);
    }

    /**
     * Delete several entries. Returns true if each of them existed.
     * @param array<array-key, int|string> $keys
     */
    public static function deleteMultiple(array $keys): bool
    {
        return Cache::volatile()->deleteMultiple($keys);
    }

    public static function clear(): bool
    {
        return Cache::volatile()->clear();
    }

    /** Set the time to live of an entry, from now on. Returns false if there is none. */
    public static function touch(string $key, int|float $ttl): bool
    {
        return Cache::volatile()->touch($key, $ttl);
    }

    /**
     * Add to an int and return the sum. The time to live does not change. A missing entry starts at 0 and gets $ttl. Returns false if
     * the entry is no int, or if the sum would leave the range of int.
     */
    public static function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return Cache::volatile()->add($key, $step, $ttl);
    }

    public static function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return Cache::volatile()->add($key, $step, $ttl, down: true);
    }

    /**
     * Take $cost units of a rate limit of $limit units in $per seconds, shared by all processes, or none if fewer are left. An unused
     * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes, and
     * costs as much as increment(). $cost 0 only reads the limit. With $wait, units that come back within $wait seconds are taken in
     * advance: retryAfter is then the time to wait before using them. With $sliding no $per seconds ever admit more than $limit units, at
     * most 16383: units come back $per seconds after they were taken, or up to 4 % later. $per is then at least 1, and $wait 0. Callers that
     * share a key must give the same $limit, $per and $sliding.
     * Call delete() to reset the limit. The store may evict a limit that is rarely used, which resets it; PinnedCache evicts none.
     * @throws StaticCacheException the store is off, or the entry is no rate limit
     */
    public static function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle
    {
        return Cache::volatile()->throttle($key, $limit, $per, $cost, $wait, $sliding);
    }

    /** Get a value and delete the entry in the same step: exactly one of several callers gets the value. */
    public static function take(string $key, mixed $default = null): mixed
    {
        return Cache::volatile()->take($key, $default);
    }

    /**
     * Get a value and the version of the entry, for replaceIf() and deleteIf(). An int has version 0: see compareAndSet().
     * @return array{mixed, int}|null null: there is no such entry
     */
    public static function getVersioned(string $key): ?array
    {
        return Cache::volatile()->getVersioned($key);
    }

    /** Store a value like set(), but only if the entry still has this version of getVersioned(); else return false. */
    public static function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool
    {
        return Cache::volatile()->replaceIf($key, $value, $version, $ttl);
    }

    /** Delete the entry, but only if it still has this version of getVersioned(); else return false. */
    public static function deleteIf(string $key, int $version): bool
    {
        return Cache::volatile()->deleteIf($key, $version);
    }

    /** Set an int if it is $expected. The time to live does not change. Returns false if it is another int, or no int. */
    public static function compareAndSet(string $key, int $expected, int $value): bool
    {
        return Cache::volatile()->compareAndSet($key, $expected, $value);
    }

    /**
     * Reserve a key without waiting. Returns false if it is reserved already. The lock ends with unlock(), after $lease, with the
     * request or with the process. Entries are not affected, but remember() of the key in another process waits for up to 10 seconds
     * until the lock ends. A lock taken in a fiber or a coroutine (of Swoole, too) belongs to it: no other one, nor the main program,
     * can end it.
     */
    public static function lock(string $key, int|float $lease = 0): bool
    {
        return Cache::volatile()->lock($key, $lease);
    }

    /**
     * End a lock(). Returns false if the calling process, fiber or coroutine does not have the lock. A $compute() of remember() cannot
     * end the reservation of its own key.
     */
    public static function unlock(string $key): bool
    {
        return Cache::volatile()->unlock($key);
    }

    /**
     * Return the entry, or store and return the result of $compute(). One process computes; others wait for it for up to 10 seconds, as
     * they do if the key is reserved with lock(). With $stale an expired entry is kept for that much longer: during this time one
     * process computes and the others get the old value.
     * A call does not wait if another process waits for a reservation of the caller (a value that it computes, a session, a lock). They
     * might wait for one another, so the call computes the value too.
     * Fibers of one process wait for one another only after waitWith(). Without it, if a fiber suspends in $compute(), another fiber that
     * needs the entry computes it as well, and the last result is stored. A $compute() that needs its own result in its own fiber is an
     * error.
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public static function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed
    {
        return Cache::volatile()->remember($key, $compute, $ttl, $stale, $form);
    }

    public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType
    {
        return $class_name === null ? Cache::volatile()->storeType($key_or_property) : CacheStoreType::NotFound;
    }

    public static function info(): StaticCacheInfo
    {
        return Store::info('volatile');
    }

    public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo
    {
        return $class_name === null ? Cache::volatile()->keyInfo($key_or_property) : null;
    }

    /**
     * Return the keys that begin with $prefix, in no order.
     * @return \Traversable<int, string>|array<int, string>
     */
    public static function keys(string $prefix = ''): \Traversable|array
    {
        return Cache::volatile()->keys($prefix);
    }

    /**
     * Return the pool of that name (1 to 255 bytes). Storing the first entry creates the pool. $form is the form of all values that this
     * object stores; see set().
     */
    public static function pool(string $name, ?string $form = null): Pool
    {
        $length = \strlen($name);
        if ($length < 1 || $length > 255) {
            throw Fault::argument(\ValueError::class, 1, "must be between 1 and 255 bytes long, $length given");
        }
        Fault::form($form, 2);
        return Record::make(Pool::class, ['name' => $name, 'cache' => new Cache('volatile', $name)]);
    }
}
