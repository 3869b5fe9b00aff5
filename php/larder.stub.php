<?php

/**
 * The API of Larder. larder_arginfo.h is made from this file (`make php-arginfo`).
 *
 * A key has 1 to 65535 bytes of any kind; keys that begin with "\0lrd" are reserved. Times are in seconds. Fractions are allowed (0.25 is
 * 250 ms), and 0 means no limit. If there is no entry, or the store is off, full or busy, most calls return the default or false; a call
 * that throws instead says so. If a value is larger than half of the store, set() and most other writes return false and cause a warning.
 * Wrong arguments throw before anything changes: a TypeError for a value that cannot be stored, a ValueError for an invalid key or time.
 *
 * A get returns strings in place, in shared memory. It also returns an array in place if the array contains only null, bool, int, float, string
 * and such arrays. PHP copies a value in shared memory before you change it. A returned value does not change until the request ends, even if
 * another process replaces or deletes the entry.
 *
 * Each fetch builds new objects, as unserialize() would, with identity, cycles, PHP references and enum cases. A write calls __serialize()
 * or __sleep(), and a fetch calls __unserialize() or __wakeup(). If a class is gone, or its properties have changed, the entry counts as
 * missing. Classes that only implement Serializable go through PHP's serializer.
 *
 * Immutable objects are built once per worker (store type Resident): two fetches in one worker return the same objects. An object is immutable if
 * its class is readonly (and, from PHP 8.4 on, final), and has no magic methods for properties or serialization and no destructor. All its
 * properties must be initialised, and contain only immutable objects, enum cases, scalars, and arrays of these. Once these objects take
 * larder.resident_size of memory in a worker, each fetch of another one builds new objects.
 *
 * @generate-class-entries
 */

namespace Larder {

    /** How a value is stored. */
    enum CacheStoreType
    {
        /** The key has no entry. */
        case NotFound;
        /** null, bool, int, float or string. */
        case Scalar;
        /** An array, or a value with objects. An array without objects is read in place. Objects are built at each fetch. */
        case SharedGraph;
        /** Immutable objects, which a worker builds once. */
        case Resident;
        /** Kept for compatibility with RFC "OPcache Static Cache"; never used. */
        case OPcacheSerialized;
        /** The text of PHP's serializer. */
        case PHPSerialized;
    }

    /** Thrown for mistakes that only show at run time, and by calls that cannot return false, such as throttle() if the store is off. */
    class StaticCacheException extends \Exception {}

    /**
     * The state of a cache. The first ten properties are those of the RFC.
     * @strict-properties
     */
    final class StaticCacheInfo
    {
        private function __construct() {}

        /** True if the settings switch this cache on. */
        public readonly bool $enabled;
        /** True if this process can use the cache. */
        public readonly bool $available;
        public readonly bool $startup_failed;
        public readonly bool $backend_initialized;
        /** The size of the store in bytes. */
        public readonly int $configured_memory;
        /** Bytes of the pages that the store has used, at most $configured_memory. No page is given back to the system. */
        public readonly int $shared_memory;
        /** The number of entries. Includes one record for each pool, and the entries of cleared pools until their memory is used again. */
        public readonly int $entry_count;
        public readonly int $segment_count;
        /** "anonymous", "pool" (an anonymous store of an FPM pool), or the path of the store's file. */
        public readonly string $shared_model;
        public readonly ?string $failure_reason;

        /** Bytes of live entries, at most $shared_memory. */
        public readonly int $used_memory;
        /** The maximum number of entries in the index. */
        public readonly int $entry_limit;
        /** The size in bytes of the largest possible value. */
        public readonly int $value_limit;
        /** Look-ups that found an entry. A call of remember() counts once: as a miss if it computes or waits, else as a hit. */
        public readonly int $hits;
        public readonly int $misses;
        public readonly int $evictions;
        public readonly int $expirations;
        /** Writes that returned false, because there was no room, the value was too large, or the store was busy. */
        public readonly int $refusals;
        /** Reads that returned a private copy, because the process held too many values. */
        public readonly int $copies;
        /** How often a part of the store was repaired after a process had died while writing to it. */
        public readonly int $recoveries;
        /**
         * Processes and threads that ended without leaving the store, for example because they were killed. Counted when another process
         * notices it.
         */
        public readonly int $deaths;
        /**
         * The number of refusals for each cause that occurred:
         * - full, index and file_system: the store, its index, or its file system is full.
         * - scattered: there is room, but not in one piece.
         * - system: a system call failed.
         * - size: the value is too large.
         * - busy: another writer took too long.
         * - slot: too many threads use the store.
         * - holds: the thread holds too many values.
         *
         * @var array<string, int>
         */
        public readonly array $refusal_causes;
    }

    /**
     * Facts about an entry.
     * @strict-properties
     */
    final class KeyInfo
    {
        private function __construct() {}

        public readonly string $key;
        public readonly CacheStoreType $store_type;
        /** Bytes of the value. */
        public readonly int $size;
        /** Seconds until the entry expires, including the $stale of remember(); null if it does not expire. */
        public readonly ?float $ttl;
        /** A number that rises with each write of the key, or 0 if the value is an int. */
        public readonly int $version;
        /** "ready" if the value is read in place, or "packed" if it is compressed, and each read decodes it. */
        public readonly string $form;
        /** The size in bytes of the value when it is not packed; an estimate for a packed value. */
        public readonly int $ready_size;
    }

    /**
     * The result of throttle().
     * @strict-properties
     */
    final class Throttle
    {
        private function __construct() {}

        /** True if the units were taken. */
        public readonly bool $allowed;
        /** Units that another call could take now. */
        public readonly int $remaining;
        /** Seconds until a call like this one would be admitted. */
        public readonly float $retryAfter;
        /** Seconds until all units are available again. */
        public readonly float $resetAfter;
    }

    /**
     * A cache that evicts the least used entries when it is full.
     *
     * @strict-properties
     */
    final class VolatileCache
    {
        private function __construct() {}

        /** Return the value of an entry, or $default. The internal pointer of an array is at the first element. */
        public static function get(string $key, mixed $default = null): mixed {}

        /**
         * Return all keys with their values. A missing key gets its value in $default, or null.
         *
         * @phpstan-param array<array-key, int|string> $keys
         * @phpstan-param array<array-key, mixed>|null $default
         * @return array<array-key, mixed>|false
         */
        public static function getMultiple(array $keys, ?array $default = null): array|false {}

        /**
         * Store a value. Returns false if there is no room, or the store is busy, for example because a stopped process has a lock.
         *
         * $form replaces the setting larder.form for an array, an object or a long string. A "ready" value is read in place. Larder packs
         * (compresses) it later only if memory is short and no process reads the value. A "packed" value takes about a fifth of the memory, and
         * each read decodes it. With "auto", the value is packed if the store is almost full.
         */
        public static function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        /**
         * Store several values. Returns true if all were stored. If one has a type that cannot be stored, throws before anything is stored.
         *
         * @phpstan-param array<array-key, mixed> $values
         */
        public static function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool {}

        /** Store a value as set() does, but only if get() finds no entry. Otherwise returns false. */
        public static function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        /**
         * Return true if get() would find an entry. May restore objects, which runs their hooks. If a hook throws, ignores the exception
         * and returns true.
         */
        public static function has(string $key): bool {}

        /** Delete an entry. Returns true if there was one. */
        public static function delete(string $key_or_class): bool {}

        /**
         * Delete several entries. Returns true if each of them existed.
         *
         * @phpstan-param array<array-key, int|string> $keys
         */
        public static function deleteMultiple(array $keys): bool {}

        public static function clear(): bool {}

        /** Set the time to live of an entry to $ttl seconds from now. Returns false if there is no entry. */
        public static function touch(string $key, int|float $ttl): bool {}

        /**
         * Add to an int, and return the sum. A missing entry counts as 0 and gets $ttl; an existing one keeps its time to live. Returns
         * false if the entry is not an int, or the sum is too large.
         */
        public static function increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        public static function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        /**
         * Take $cost units of a rate limit, or none if fewer are available. All processes together may take $limit units in $per seconds.
         * Taken units come back one by one, every $per / $limit seconds (GCRA). The limit is exact for any number of processes.
         *
         * - $cost = 0 only reads the limit.
         * - With $wait, the call may take units that come back within $wait seconds. The caller must wait for retryAfter seconds before it
         *   uses them.
         * - With $sliding, at most $limit units are taken in any period of $per seconds: a unit comes back $per seconds after it was taken,
         *   or up to 4 % later. $limit must then be at most 16383, $per at least 1, and $wait 0.
         * - All callers that share a key must give the same $limit, $per and $sliding.
         *
         * delete() and eviction reset the limit. PinnedCache never evicts a limit. Use the key for nothing else: without $sliding, the
         * state is an int, and throttle() would change an int of the program. With $sliding, has() finds the entry, but get() does not.
         *
         * @throws StaticCacheException if the store is off, busy or full; if the entry is of another type; or if $sliding is true and the
         * entry has another $per
         */
        public static function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle {}

        /** Return a value and delete its entry, in one step: only one of several callers gets the value. */
        public static function take(string $key, mixed $default = null): mixed {}

        /**
         * Return a value and the version of its entry, for replaceIf() and deleteIf(). The version of an int is always 0: use
         * compareAndSet().
         *
         * @return array{mixed, int}|null null if there is no such entry
         */
        public static function getVersioned(string $key): ?array {}

        /** Store a value as set() does, but only if the entry has the $version from getVersioned(). Otherwise returns false. */
        public static function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool {}

        /** Delete the entry, but only if it has the $version from getVersioned(). Otherwise returns false. */
        public static function deleteIf(string $key, int $version): bool {}

        /** Replace the int $expected by $value, and keep the time to live. Returns false if the entry has another value. */
        public static function compareAndSet(string $key, int $expected, int $value): bool {}

        /**
         * Lock a key without waiting. Returns false if the key is locked. The lock ends with unlock(), after $lease seconds, or when the
         * request or the process ends. Only remember() of this key waits for the lock, up to 10 seconds; other calls read and write the
         * entry. Only the fiber or coroutine (also of Swoole) that has taken the lock can unlock it.
         */
        public static function lock(string $key, int|float $lease = 0): bool {}

        /**
         * Unlock a key. Returns false if the calling process, fiber or coroutine does not have the lock. A callback of remember() cannot
         * unlock its own key.
         */
        public static function unlock(string $key): bool {}

        /**
         * Return the value of the entry or, if there is none, store and return the result of $compute(). One process computes, and others wait
         * for the result, up to 10 seconds. They also wait if a process has locked the key with lock(). With $stale, an expired entry is kept for
         * $stale more seconds: one process computes, while get() and the other processes return the old value.
         *
         * Waiting could be a deadlock if another process waits for something that the caller has locked: a value that the caller computes, a
         * session, or a key. In this case, remember() computes the value itself. Fibers of one process wait for each other only after waitWith().
         * $compute() must not call remember() for its own key in the same fiber.
         *
         * @template T
         * @phpstan-param callable(): T $compute
         * @return T
         * @throws StaticCacheException if $compute() called remember() of its own key
         */
        public static function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}

        public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

        /**
         * Return the keys that begin with $prefix, in no particular order.
         *
         * @return array<int, string>
         */
        public static function keys(string $prefix = ""): iterable {}

        /**
         * Return the pool with this name (1 to 255 bytes). A pool comes into being with its first entry. $form is the default for the values that
         * this object stores; see set().
         */
        public static function pool(string $name, ?string $form = null): Pool {}
    }

    /**
     * A namespace in the volatile store. VolatileCache does not see the entries of a pool. The methods of a pool work like those of
     * VolatileCache. The maximum length of a key is that of VolatileCache, minus 14 bytes and the length of the pool's name.
     *
     * Every call first reads the pool's record. VolatileCache::info() counts this read as a hit. So use a pool for many keys that belong
     * together, not one pool per user. VolatileCache::clear() empties all pools. A full store may evict an unused pool.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Pool
    {
        private function __construct() {}

        public function name(): string {}

        public function get(string $key, mixed $default = null): mixed {}

        /**
         * @phpstan-param array<array-key, int|string> $keys
         * @phpstan-param array<array-key, mixed>|null $default
         * @return array<array-key, mixed>
         */
        public function getMultiple(array $keys, ?array $default = null): array {}

        public function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        /** @phpstan-param array<array-key, mixed> $values */
        public function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool {}

        public function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        public function has(string $key): bool {}

        public function delete(string $key): bool {}

        /** @phpstan-param array<array-key, int|string> $keys */
        public function deleteMultiple(array $keys): bool {}

        /**
         * Remove all entries, in less than a millisecond. If the store never had more than about 1,024 entries, their memory is free at
         * once. Otherwise the memory counts as used until the store gives it to new entries.
         */
        public function clear(): bool {}

        /** Return facts about an entry, or null if there is none. */
        public function keyInfo(string $key): ?KeyInfo {}

        public function touch(string $key, int|float $ttl): bool {}

        public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        /**
         * Take units of a rate limit, as VolatileCache::throttle() does.
         *
         * @throws StaticCacheException if the store is off, busy or full; if the entry is of another type; or if $sliding is true and the
         * entry has another $per
         */
        public function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle {}

        /** Return a value and delete its entry, in one step: only one of several callers gets the value. */
        public function take(string $key, mixed $default = null): mixed {}

        /**
         * Return a value and the version of its entry, for replaceIf() and deleteIf(). The version of an int is always 0: use
         * compareAndSet().
         *
         * @return array{mixed, int}|null null if there is no such entry
         */
        public function getVersioned(string $key): ?array {}

        /** Store a value as set() does, but only if the entry has the $version from getVersioned(). Otherwise returns false. */
        public function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool {}

        /** Delete the entry, but only if it has the $version from getVersioned(). Otherwise returns false. */
        public function deleteIf(string $key, int $version): bool {}

        /** Replace the int $expected by $value, and keep the time to live. Returns false if the entry has another value. */
        public function compareAndSet(string $key, int $expected, int $value): bool {}

        /** Lock a key, as VolatileCache::lock() does. clear() does not end the lock. */
        public function lock(string $key, int|float $lease = 0): bool {}

        public function unlock(string $key): bool {}

        /**
         * Take a lease: the right to fill a missing key. Use it to cache data from another source: take a lease, read the data, and call
         * fill(). If the key is invalidated between lease() and fill(), the data is not stored. Returns null if the key has an entry or a
         * lease, or if the pool does not exist.
         *
         * A lease ends after $seconds, or earlier if the key is written or deleted, the pool is cleared, or the store evicts the lease.
         * While a key is leased, reads find no entry, increment() starts at 0, and delete() returns true. touch() and add() return false,
         * and do not end the lease.
         *
         * lease() restores the value of an existing entry. If a class of the value is gone or has changed, the lease replaces the entry.
         * lease() does not catch an exception of a hook.
         *
         * @return string|null the $lease for fill()
         */
        public function lease(string $key, int|float $seconds = 10): ?string {}

        /**
         * Store a value as set() does, but only if the lease has not ended. $ttl counts from the call of lease(). Returns false if the
         * lease has ended or $ttl is over.
         */
        public function fill(string $key, mixed $value, string $lease, int|float $ttl = 0): bool {}

        /** Delete the key's entry, or end its lease. Returns false only if the store is busy. */
        public function invalidate(string $key): bool {}

        /**
         * Create or empty the pool. All its entries expire together after $seconds, unless prolong() is called in time. For example, a pool
         * can keep copies of a server's data while a process receives all changes from the server, and calls prolong(). set(), add(),
         * increment() and remember() create a missing pool, but get(), lease() and fill() do not.
         *
         * @return string|null the $token for prolong(), or null if the store is off or has no room
         */
        public function begin(int|float $seconds): ?string {}

        /**
         * Let the pool end $seconds from now. $token is the result of begin(). Returns false if that pool has ended, or was replaced by
         * another one.
         */
        public function prolong(string $token, int|float $seconds): bool {}

        /**
         * Return or compute a value, as VolatileCache::remember() does. If the pool is cleared while the value is computed, the value is not
         * stored.
         *
         * @template T
         * @phpstan-param callable(): T $compute
         * @return T
         */
        public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed {}

        /** Return the state of the pool. Reads the whole store. */
        public function info(): PoolInfo {}
    }

    /**
     * The state of a pool. Each process adds its own counts of hits, misses and stores when the request ends, or when it stops using the pool.
     * The own counts of a killed process are lost. If a pool is evicted, all its counts are lost.
     *
     * @strict-properties
     */
    final class PoolInfo
    {
        private function __construct() {}

        public readonly string $name;
        public readonly int $entry_count;
        /** Bytes of keys and values. */
        public readonly int $used_memory;
        public readonly int $hits;
        public readonly int $misses;
        /** Entries that were written. */
        public readonly int $stores;
    }

    /**
     * A cache whose entries stay until you delete them. When it is full, writes fail.
     * @strict-properties
     */
    final class PinnedCache
    {
        private function __construct() {}

        public static function get(string $key, mixed $default = null): mixed {}

        /**
         * @phpstan-param array<array-key, int|string> $keys
         * @phpstan-param array<array-key, mixed>|null $default
         * @return array<array-key, mixed>|false
         */
        public static function getMultiple(array $keys, ?array $default = null): array|false {}

        public static function set(string $key, mixed $value): bool {}

        /** @phpstan-param array<array-key, mixed> $values */
        public static function setMultiple(array $values): bool {}

        public static function add(string $key, mixed $value): bool {}

        public static function has(string $key): bool {}

        public static function delete(string $key_or_class): bool {}

        /** @phpstan-param array<array-key, int|string> $keys */
        public static function deleteMultiple(array $keys): bool {}

        public static function clear(): bool {}

        public static function increment(string $key, int $step = 1): int|false {}

        public static function decrement(string $key, int $step = 1): int|false {}

        /**
         * Take units of a rate limit, as VolatileCache::throttle() does. The limit stays until it is deleted.
         *
         * @throws StaticCacheException if the store is off, busy or full; if the entry is of another type; or if $sliding is true and the entry
         * has another $per
         */
        public static function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle {}

        /** Return a value and delete its entry, in one step: only one of several callers gets the value. */
        public static function take(string $key, mixed $default = null): mixed {}

        /**
         * Return a value and the version of its entry, for replaceIf() and deleteIf(). The version of an int is always 0: use
         * compareAndSet().
         *
         * @return array{mixed, int}|null null if there is no such entry
         */
        public static function getVersioned(string $key): ?array {}

        /** Store a value as set() does, but only if the entry has the $version from getVersioned(). Otherwise returns false. */
        public static function replaceIf(string $key, mixed $value, int $version): bool {}

        /** Delete the entry, but only if it has the $version from getVersioned(). Otherwise returns false. */
        public static function deleteIf(string $key, int $version): bool {}

        /** Replace the int $expected by the int $value. Returns false if the entry has another value. */
        public static function compareAndSet(string $key, int $expected, int $value): bool {}

        public static function lock(string $key, int|float $lease = 0): bool {}

        public static function unlock(string $key): bool {}

        /**
         * @template T
         * @phpstan-param callable(): T $compute
         * @return T
         */
        public static function remember(string $key, callable $compute): mixed {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}

        public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

        /** @return array<int, string> */
        public static function keys(string $prefix = ""): iterable {}
    }

    /**
     * Call $callback, release all fetched values that are no longer used, and return the result of $callback. Use scope() for each job of a
     * worker whose request does not end, such as a queue consumer or an application server.
     *
     * - A value stays while anything in this process points to it: a variable, property, static, generator or fiber. If the result of $callback
     *   is a stored string or array, scope() returns a copy.
     * - To find unused values, scope() searches the memory of the process, in about 1 ms for 10 MB. If the process cannot read
     *   /proc/self/pagemap, or larder.collect is off, all values stay until the request ends.
     * - Exceptions of $callback are passed on. Calls may be nested, and fibers may suspend in them.
     *
     * @template T
     * @phpstan-param callable(): T $callback
     * @return T
     */
    function scope(callable $callback): mixed {}

    /**
     * In a worker that handles many requests or jobs, call this after each one, outside of fibers, coroutines and remember(). FrankenPHP's
     * worker mode does not need it.
     *
     * Unlocks all keys that the request has locked, and publishes static properties that have changed. Once enough unused values have
     * accumulated, releases them as scope() does. Returns the number of keys that were unlocked. The first time that this number is above 0, logs
     * it.
     */
    function endRequest(): int {}

    /**
     * In a worker that handles many requests or jobs, call this before each one, and endRequest() after it. FrankenPHP's worker mode does
     * not need it.
     *
     * Static properties get the values that other processes have published since the last request. A property keeps its value if it has an
     * unpublished change, if a PHP reference to it exists, or if its entry is gone.
     */
    function beginRequest(): void {}

    /**
     * For programs with an event loop: until the request ends, functions that wait for other processes call $wait(float $seconds) instead
     * of sleeping. These are remember(), Queue::pop(), popMany(), push() and pushMany(), Semaphore::acquire() and Broadcast::wait(). Each
     * of them tries again when $wait returns, until its time limit. The pauses grow from 1 to 20 milliseconds.
     *
     * $wait must suspend the calling fiber for about $seconds, so that other fibers run. If $wait cannot do this, it must return false; the
     * waiting function then sleeps. If $wait itself calls one of these functions, that call sleeps. An exception of $wait ends the call.
     * waitWith(null) makes these functions sleep again.
     *
     * With $wait, remember() also waits for other fibers of this process. In the Composer package larder/cache, Larder\Loop\Revolt, React
     * and Swoole call waitWith().
     *
     * @phpstan-param (callable(float): mixed)|null $wait
     */
    function waitWith(?callable $wait): void {}
}
