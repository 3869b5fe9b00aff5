<?php

/**
 * The API of Larder. larder_arginfo.h is made from this file (`make php-arginfo`).
 *
 * Keys are any bytes, 1 to 65535 of them. Times are seconds; a fraction is allowed (0.25 is 250 ms) and 0 means no limit. A miss,
 * contention or a full store returns the default or false. Wrong arguments throw before anything changes: a value that cannot be stored a
 * TypeError, an invalid key or time a ValueError.
 *
 * Strings, and arrays of null, bool, int, float, string and such arrays, are returned in place in shared memory. The cost does not depend
 * on their size. Writing to them copies them first, as with any PHP array. A returned value does not change until the request ends, even if
 * another process replaces or deletes the entry.
 *
 * Keys that begin with "\0lrd" are reserved for the extension and throw a ValueError.
 *
 * Each fetch builds new objects, as unserialize() would. Identity, cycles, PHP references and enum cases are restored, and __serialize(),
 * __unserialize(), __sleep() and __wakeup() are called. An entry whose class is gone or now has other properties is a miss. Classes that
 * only implement Serializable go through PHP's serializer.
 *
 * Immutable objects are built once per worker (store type Resident), so two fetches in one worker return the same instances. An object is
 * immutable if its class is readonly (and final from PHP 8.4 on), has no magic methods for properties and no destructor. All its properties
 * must be initialised and contain only such objects, enum cases, scalars, strings, and arrays of these. larder.resident_size limits the
 * private memory that a worker uses for them. Beyond it, or with 0, each fetch builds them again.
 *
 * @generate-class-entries
 */

namespace Larder {

    /** How a value is stored. */
    enum CacheStoreType
    {
        /** There is no such entry. */
        case NotFound;
        /** null, bool, int, float or string. */
        case Scalar;
        /** An array that is shared in place, or objects that each fetch rebuilds from shared memory. */
        case SharedGraph;
        /** Immutable objects: built once per worker, every fetch returns the same instances. */
        case Resident;
        /** Kept for compatibility with RFC "OPcache Static Cache"; never used. */
        case OPcacheSerialized;
        /** The text of PHP's serializer. */
        case PHPSerialized;
    }

    /** Misuse that only shows at run time, such as a remember() that needs its own result. */
    class StaticCacheException extends \Exception
    {
    }

    /**
     * The state of a cache. The first ten properties are those of the RFC.
     * @strict-properties
     */
    final class StaticCacheInfo
    {
        private function __construct() {}

        /** The configuration asks for this cache. */
        public readonly bool $enabled;
        /** The cache can be used in this process. */
        public readonly bool $available;
        public readonly bool $startup_failed;
        public readonly bool $backend_initialized;
        /** Bytes. */
        public readonly int $configured_memory;
        /** Bytes in pages in use. A page stays in use for later values. */
        public readonly int $shared_memory;
        public readonly int $entry_count;
        public readonly int $segment_count;
        /** "anonymous" or the path of the segment's file. */
        public readonly string $shared_model;
        public readonly ?string $failure_reason;

        /** Bytes of live entries. */
        public readonly int $used_memory;
        /** The largest number of entries that the index can hold. */
        public readonly int $entry_limit;
        /** Bytes of the largest value. */
        public readonly int $value_limit;
        /** Number of look-ups. A call of remember() counts once: as a miss if it computes or waits. */
        public readonly int $hits;
        public readonly int $misses;
        public readonly int $evictions;
        public readonly int $expirations;
        /** Writes that returned false: no room, too large, or busy. Writes that throw, and add() of an existing entry, do not count. */
        public readonly int $refusals;
        /** Reads that returned a private copy, because the process held too much. */
        public readonly int $copies;
        /** Number of writes that were undone because the process died inside them. */
        public readonly int $recoveries;
        /** Processes and threads that died without leaving the store, inside a write or not. Each counts once. */
        public readonly int $deaths;
        /**
         * The refusals by cause, without causes that never occurred: full, scattered (there is room, but not in one piece), index,
         * file_system, size, busy, slot, holds, system.
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
        /** Seconds left; null: no limit. */
        public readonly ?float $ttl;
        /** Rises with each write of the key; 0 for an int. */
        public readonly int $version;
        /** "ready": read in place; "packed": decoded by each read. */
        public readonly string $form;
        /** Bytes that the value takes in its ready form; an estimate if the value is packed. */
        public readonly int $ready_size;
    }

    /**
     * The result of throttle().
     * @strict-properties
     */
    final class Throttle
    {
        private function __construct() {}

        /** The units were taken. */
        public readonly bool $allowed;
        /** Units that another call could take now. */
        public readonly int $remaining;
        /** Seconds until the same call would be admitted; 0: now. */
        public readonly float $retryAfter;
        /** Seconds until the limit is unused again. */
        public readonly float $resetAfter;
    }

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
        public static function get(string $key, mixed $default = null): mixed {}

        /**
         * Return all keys with their values. A missing key gets its value in $default, else null.
         * @return array|false
         */
        public static function getMultiple(array $keys, ?array $default = null): array|false {}

        /**
         * Store a value. Returns false if there is no room, or if the key's part of the store is busy for longer than 100 ms.
         * $form replaces the setting larder.form for this value, if it is an array, an object or a long string. With "ready" it is read in place,
         * and packed later only if memory is short and no process reads it. With "packed" it takes a fifth of the memory, and each read decodes
         * it, also while there is room. With "auto" it is packed while entries are evicted, and ready otherwise.
         */
        public static function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        /** Store several values. Returns true if all were stored. A value that cannot be stored throws before any is stored. */
        public static function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool {}

        /**
         * Store a value like set(), but only if get() finds no entry; else return false. An entry that cannot be restored, because its
         * class is gone or has changed, is replaced.
         */
        public static function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        /** True if get() finds an entry. An entry whose class is gone or has changed does not exist; an entry whose hooks throw does. */
        public static function has(string $key): bool {}

        /** Delete an entry. Returns true if there was one. */
        public static function delete(string $key_or_class): bool {}

        /** Delete several entries. Returns true if each of them existed. */
        public static function deleteMultiple(array $keys): bool {}

        public static function clear(): bool {}

        /** Set the time to live of an entry, from now on. Returns false if there is none. */
        public static function touch(string $key, int|float $ttl): bool {}

        /**
         * Add to an int and return the sum. The time to live does not change. A missing entry starts at 0 and gets $ttl. Returns false if
         * the entry is no int, or if the sum would leave the range of int.
         */
        public static function increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        public static function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        /**
         * Take $cost units of a rate limit of $limit units in $per seconds, shared by all processes, or none if fewer are left. An unused
         * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes,
         * and costs as much as increment(). $cost 0 only reads the limit. With $wait, units that come back within $wait seconds are taken
         * in advance: retryAfter is then the time to wait before using them. With $sliding no $per seconds ever admit more than $limit units,
         * at most 16383: units come back $per seconds after they were taken, or up to 4 % later. $per is then at least 1, and $wait 0. Callers
         * that share a key must give the same $limit, $per and $sliding.
         * Call delete() to reset the limit. The store may evict a limit that is rarely used, which resets it; PinnedCache evicts none.
         * @throws StaticCacheException the store is off, or the entry is no rate limit
         */
        public static function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle {}

        /** Get a value and delete the entry in the same step: exactly one of several callers gets the value. */
        public static function take(string $key, mixed $default = null): mixed {}

        /**
         * Get a value and the version of the entry, for replaceIf() and deleteIf(). An int has version 0: see compareAndSet().
         * @return array{mixed, int}|null null: there is no such entry
         */
        public static function getVersioned(string $key): ?array {}

        /** Store a value like set(), but only if the entry still has this version of getVersioned(); else return false. */
        public static function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool {}

        /** Delete the entry, but only if it still has this version of getVersioned(); else return false. */
        public static function deleteIf(string $key, int $version): bool {}

        /** Set an int if it is $expected. The time to live does not change. Returns false if it is another int, or no int. */
        public static function compareAndSet(string $key, int $expected, int $value): bool {}

        /**
         * Reserve a key without waiting. Returns false if it is reserved already. The lock ends with unlock(), after $lease, with the
         * request or with the process. Entries are not affected, but remember() of the key in another process waits for up to 10 seconds
         * until the lock ends. A lock taken in a fiber or a coroutine (of Swoole, too) belongs to it: no other one, nor the main program,
         * can end it.
         */
        public static function lock(string $key, int|float $lease = 0): bool {}

        /**
         * End a lock(). Returns false if the calling process, fiber or coroutine does not have the lock. A $compute() of remember() cannot
         * end the reservation of its own key.
         */
        public static function unlock(string $key): bool {}

        /**
         * Return the entry, or store and return the result of $compute(). One process computes; others wait for it for up to 10 seconds, as
         * they do if the key is reserved with lock(). With $stale an expired entry is kept for that much longer: during this time one
         * process computes and the others get the old value.
         * A call does not wait if another process waits for a reservation of the caller (a value that it computes, a session, a lock). They
         * might wait for one another, so the call computes the value too.
         * Fibers of one process wait for one another only after waitWith(). Without it, if a fiber suspends in $compute(), another fiber that
         * needs the entry computes it as well, and the last result is stored. A $compute() that needs its own result in its own fiber is an
         * error.
         * @throws StaticCacheException $compute() called remember() of its own key
         */
        public static function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}

        public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

        /** Return the keys that begin with $prefix, in no order. */
        public static function keys(string $prefix = ""): iterable {}

        /**
         * Return the pool of that name (1 to 255 bytes). Storing the first entry creates the pool. $form is the form of all values that
         * this object stores; see set().
         */
        public static function pool(string $name, ?string $form = null): Pool {}
    }

    /**
     * A part of VolatileCache with keys of its own: the same key in two pools names two entries, and VolatileCache sees neither. The
     * methods are those of VolatileCache. The longest key is shorter than there by the pool's name and 14 bytes.
     *
     * A pool has a record, itself an entry that each call reads (VolatileCache::info() counts that as a hit). Use a pool for many keys that
     * belong together, not one for each user. VolatileCache::clear() empties the pools too. If the store is full, a pool that is not used
     * may be evicted like an entry.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Pool
    {
        private function __construct() {}

        public function name(): string {}

        public function get(string $key, mixed $default = null): mixed {}

        public function getMultiple(array $keys, ?array $default = null): array {}

        public function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        public function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool {}

        public function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

        public function has(string $key): bool {}

        public function delete(string $key): bool {}

        public function deleteMultiple(array $keys): bool {}

        /**
         * Remove all entries, in a time that does not depend on their number. Their memory is freed when the store needs it. Until then it
         * counts as used, and VolatileCache::info() counts the entries.
         */
        public function clear(): bool {}

        /** Return facts about an entry; null if there is none. */
        public function keyInfo(string $key): ?KeyInfo {}

        public function touch(string $key, int|float $ttl): bool {}

        public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        /**
         * Take $cost units of a rate limit of $limit units in $per seconds, shared by all processes, or none if fewer are left. An unused
         * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes,
         * and costs as much as increment(). $cost 0 only reads the limit. With $wait, units that come back within $wait seconds are taken
         * in advance: retryAfter is then the time to wait before using them. With $sliding no $per seconds ever admit more than $limit units,
         * at most 16383: units come back $per seconds after they were taken, or up to 4 % later. $per is then at least 1, and $wait 0. Callers
         * that share a key must give the same $limit, $per and $sliding.
         * Call delete() to reset the limit. The store may evict a limit that is rarely used, which resets it; PinnedCache evicts none.
         * @throws StaticCacheException the store is off, or the entry is no rate limit
         */
        public function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle {}

        /** Get a value and delete the entry in the same step: exactly one of several callers gets the value. */
        public function take(string $key, mixed $default = null): mixed {}

        /**
         * Get a value and the version of the entry, for replaceIf() and deleteIf(). An int has version 0: see compareAndSet().
         * @return array{mixed, int}|null null: there is no such entry
         */
        public function getVersioned(string $key): ?array {}

        /** Store a value like set(), but only if the entry still has this version of getVersioned(); else return false. */
        public function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool {}

        /** Delete the entry, but only if it still has this version of getVersioned(); else return false. */
        public function deleteIf(string $key, int $version): bool {}

        /** Set an int if it is $expected. The time to live does not change. Returns false if it is another int, or no int. */
        public function compareAndSet(string $key, int $expected, int $value): bool {}

        /** Reserve a key like VolatileCache::lock(). clear() does not end the lock. */
        public function lock(string $key, int|float $lease = 0): bool {}

        public function unlock(string $key): bool {}

        /**
         * Take a lease: the right to fill a missing key. Use it to cache data from elsewhere: take a lease, read the data, and call fill().
         * Data that was invalidated in between is then not stored.
         * Returns null if the key has an entry or a lease, or if there is no such pool. An entry whose class is gone or has changed is
         * replaced. To find out, lease() restores the entry, and exceptions of its hooks are passed on.
         * Each write or delete of the key breaks a lease, as do clear(), eviction and the end of $seconds: increment() starts at 0,
         * delete() returns true. For all other calls a leased key is a miss: touch() and add() return false and leave the lease alone.
         * @return string|null the $lease for fill()
         */
        public function lease(string $key, int|float $seconds = 10): ?string {}

        /** Store a value like set(), but only while the lease is valid; else return false. */
        public function fill(string $key, mixed $value, string $lease, int|float $ttl = 0): bool {}

        /** End the key's entry or lease. Returns false only if the key's part of the store is busy for longer than 100 ms. */
        public function invalidate(string $key): bool {}

        /**
         * Create the pool, or replace it by an empty one. After $seconds all its entries end at once, unless prolong() is called before.
         * Use this for a copy of data that a listener keeps up to date. The calls set(), add(), increment() and remember() create a
         * missing pool; get(), lease() and fill() do not.
         * @return string|null the $token for prolong(); null if the store is off or has no room
         */
        public function begin(int|float $seconds): ?string {}

        /** Let the pool last for $seconds from now on. Returns false if another pool has replaced the one of that begin(). */
        public function prolong(string $token, int|float $seconds): bool {}

        /**
         * Return or compute a value like VolatileCache::remember(). If the pool is cleared meanwhile, the computed value is returned but
         * not stored.
         */
        public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed {}

        /** Return the state of the pool. Reads the whole store. */
        public function info(): PoolInfo {}
    }

    /**
     * The state of a pool. Each process counts its hits, misses and stores, and adds them when it no longer uses the pool, at the latest
     * when the request ends. The counts of a killed process are lost. They start at 0 again after the pool was evicted.
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
        /** Entries written. */
        public readonly int $stores;
    }

    /**
     * A cache whose entries stay until they are deleted: if the store is full, writes fail.
     * @strict-properties
     */
    final class PinnedCache
    {
        private function __construct() {}

        public static function get(string $key, mixed $default = null): mixed {}

        /** @return array|false */
        public static function getMultiple(array $keys, ?array $default = null): array|false {}

        public static function set(string $key, mixed $value): bool {}

        public static function setMultiple(array $values): bool {}

        public static function add(string $key, mixed $value): bool {}

        public static function has(string $key): bool {}

        public static function delete(string $key_or_class): bool {}

        public static function deleteMultiple(array $keys): bool {}

        public static function clear(): bool {}

        public static function increment(string $key, int $step = 1): int|false {}

        public static function decrement(string $key, int $step = 1): int|false {}

        /**
         * Take $cost units of a rate limit of $limit units in $per seconds, shared by all processes, or none if fewer are left. An unused
         * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes,
         * and costs as much as increment(). $cost 0 only reads the limit. With $wait, units that come back within $wait seconds are taken
         * in advance: retryAfter is then the time to wait before using them. With $sliding no $per seconds ever admit more than $limit units,
         * at most 16383: units come back $per seconds after they were taken, or up to 4 % later. $per is then at least 1, and $wait 0. Callers
         * that share a key must give the same $limit, $per and $sliding.
         * Call delete() to reset the limit. The entry stays until it is deleted.
         * @throws StaticCacheException the store is off, or the entry is no rate limit
         */
        public static function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle {}

        /** Get a value and delete the entry in the same step: exactly one of several callers gets the value. */
        public static function take(string $key, mixed $default = null): mixed {}

        /**
         * Get a value and the version of the entry, for replaceIf() and deleteIf(). An int has version 0: see compareAndSet().
         * @return array{mixed, int}|null null: there is no such entry
         */
        public static function getVersioned(string $key): ?array {}

        /** Store a value like set(), but only if the entry still has this version of getVersioned(); else return false. */
        public static function replaceIf(string $key, mixed $value, int $version): bool {}

        /** Delete the entry, but only if it still has this version of getVersioned(); else return false. */
        public static function deleteIf(string $key, int $version): bool {}

        /** Set an int if it is $expected. The time to live does not change. Returns false if it is another int, or no int. */
        public static function compareAndSet(string $key, int $expected, int $value): bool {}

        public static function lock(string $key, int|float $lease = 0): bool {}

        public static function unlock(string $key): bool {}

        public static function remember(string $key, callable $compute): mixed {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}

        public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

        public static function keys(string $prefix = ""): iterable {}
    }

    /**
     * Call $callback, release all fetched values that are no longer used, and return the callback's result. Call it once per job in workers
     * whose request does not end (queue consumers, application servers). Other processes can then use the memory, and later gets need not
     * copy.
     *
     * A value stays while a variable, property, static, generator, fiber or anything else in this process points to it, even if it was
     * fetched before. A returned string or array is copied, so that it does not keep a whole value. To find unused values, the call reads
     * the memory of this process once, about 1 ms for 10 MB, if something new was fetched. If that is not possible (the process has
     * further threads, or cannot read /proc/self/pagemap), everything stays until the request ends.
     *
     * Exceptions of the callback are passed on. Scopes may be nested, and fibers may suspend in them.
     */
    function scope(callable $callback): mixed {}

    /**
     * End one of many requests in a worker: unlock every key that is still locked, publish static state that has changed, and release all
     * fetched values that are no longer used, as scope() does. Call it after each request or job, outside of fibers, coroutines and remember().
     * Returns the number of keys that were locked, which the first time is also logged.
     *
     * A value stays while anything in this process points to it. FrankenPHP's worker mode calls it by itself.
     */
    function endRequest(): int {}

    /**
     * Begin one of many requests in a worker: static state gets the values that other processes have published since. Values that an object
     * of this process has changed and not published, and statics whose entries are gone, stay. Call it before each request or job;
     * endRequest() comes after it. FrankenPHP's worker mode calls it by itself.
     */
    function beginRequest(): void {}

    /**
     * Let this process wait for others with $wait from now on, until the request ends: for programs with an event loop. Instead of
     * sleeping, remember(), Queue::pop(), popMany(), push() and pushMany(), Semaphore::acquire() and Broadcast::wait() call $wait(float
     * $seconds) and look again, until the wait is over; the pauses grow from 1 to 20 milliseconds. $wait suspends its fiber for about that
     * time, so that others run. It returns false if it cannot suspend; then the call sleeps. A wait within $wait sleeps, too. An exception
     * of $wait ends the call. null: sleep again.
     *
     * remember() then waits for other fibers of this process, too, instead of computing the same value in each.
     * The library has such functions: Larder\Loop\Revolt, React and Swoole.
     */
    function waitWith(?callable $wait): void {}
}
