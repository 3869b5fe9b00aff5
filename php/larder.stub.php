<?php

/**
 * The API of Larder. larder_arginfo.h is made from this file (`make php-arginfo`).
 *
 * Keys are any bytes, 1 to 65535 of them. Times are seconds; a fraction is allowed (0.25 is 250 ms) and 0 means no
 * limit. Misses, contention and a full store give the default or false. What can never work throws: a TypeError for
 * a value that cannot be stored, a ValueError for a key or a time that makes no sense, both before anything changes.
 *
 * Arrays of null, bool, int, float, string and such arrays, and strings, are returned as they lie in shared memory:
 * the cost does not depend on their size, and writing to them copies them first, as with any PHP array. What is
 * returned stays as it is until the request ends, whatever others do to the key.
 *
 * Keys that begin with "\0lrd" are the extension's own: asking for one throws a ValueError.
 *
 * Objects are built anew by each fetch, as unserialize() would: identity, cycles, PHP references and enum cases come
 * back, __serialize(), __unserialize(), __sleep() and __wakeup() are called. An entry whose class is gone or has other
 * properties by now is a miss. Classes that only implement Serializable go through PHP's serializer.
 *
 * Objects that nobody can change are not even built anew (store type Resident): objects of readonly classes (final
 * ones from PHP 8.4 on) without magic methods for properties and without a destructor, whose properties are all
 * initialised and hold nothing but such objects, enum cases, scalars, strings, and arrays of these. Two fetches in
 * one worker then give the same instances. larder.resident_size is the private memory that a worker may use for
 * them; beyond it, and with 0, they are built anew as well.
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
        /** An array that is shared as it is, or objects that are rebuilt from what is shared. */
        case SharedGraph;
        /** Objects that nobody can change: built once per worker, every fetch gives the same ones. */
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
        /** It can be used here and now. */
        public readonly bool $available;
        public readonly bool $startup_failed;
        public readonly bool $backend_initialized;
        /** Bytes. */
        public readonly int $configured_memory;
        /** Bytes in pages that are in use; they stay in use for later values. */
        public readonly int $shared_memory;
        public readonly int $entry_count;
        public readonly int $segment_count;
        /** "anonymous" or the path of the segment's file. */
        public readonly string $shared_model;
        public readonly ?string $failure_reason;

        /** Bytes of live entries. */
        public readonly int $used_memory;
        /** Most entries the index takes. */
        public readonly int $entry_limit;
        /** Bytes of the largest value. */
        public readonly int $value_limit;
        /** Look-ups, also those of remember(): each call is one, a miss where it has to compute or to wait. */
        public readonly int $hits;
        public readonly int $misses;
        public readonly int $evictions;
        public readonly int $expirations;
        /** Writes that returned false: no room, too large, or busy. Not those that throw, nor add() of what is there. */
        public readonly int $refusals;
        /** Reads that were answered with a private copy, because too much was held. */
        public readonly int $copies;
        /** Times a process died inside a write, and what it had begun was undone. */
        public readonly int $recoveries;
        /** Processes and threads that died without leaving the store, inside a write or not; each is counted once. */
        public readonly int $deaths;
        /**
         * The refusals by cause, those that occurred: full, scattered (there is room, but not in one piece), index, file_system,
         * size, busy, slot, holds, system.
         * @var array<string, int>
         */
        public readonly array $refusal_causes;
    }

    /**
     * What is known about an entry.
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
        /** Raised by each write of the key; 0 for an int. */
        public readonly int $version;
    }

    /**
     * Entries that may be evicted: when the store is full, those that are used least give way.
     * @strict-properties
     */
    final class VolatileCache
    {
        private function __construct() {}

        /**
         * Arrays come as unserialize() would give them, here and in all other calls: the internal pointer is at the first
         * element, and [] takes the key above the largest.
         */
        public static function get(string $key, mixed $default = null): mixed {}

        /**
         * All keys with their values. What is missing gets the value that $default has for the key, else null.
         * @return array|false
         */
        public static function getMultiple(array $keys, ?array $default = null): array|false {}

        /** False when there is no room, or the key's part of the store is busy for longer than 100 ms. */
        public static function set(string $key, mixed $value, int|float $ttl = 0): bool {}

        /** True when all were stored. What cannot be stored throws before anything is. */
        public static function setMultiple(array $values, int|float $ttl = 0): bool {}

        /**
         * As set(), but only if get() finds no such entry; else false. An entry that cannot be restored here, because its class
         * is gone or has changed, gives way.
         */
        public static function add(string $key, mixed $value, int|float $ttl = 0): bool {}

        /** Whether get() finds an entry: not one whose class is gone or has changed. One whose hooks throw is there. */
        public static function has(string $key): bool {}

        /** True when there was an entry. */
        public static function delete(string $key_or_class): bool {}

        /** True when there was an entry for each. */
        public static function deleteMultiple(array $keys): bool {}

        public static function clear(): bool {}

        /** Gives an entry so long to live from now on; false when there is none. */
        public static function touch(string $key, int|float $ttl): bool {}

        /**
         * Adds to an int and returns the sum; its time to live stays as it is. A missing entry is made from 0, with
         * $ttl. False when the entry is something else or the sum would leave the range of int.
         */
        public static function increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        public static function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        /**
         * Reserves a key, without waiting; false when it is reserved already. Ends with unlock(), after $lease, with
         * the request or with the process. Entries are not affected, but remember() of the key in another process waits
         * for the end of it, for up to 10 seconds. In a fiber or a coroutine (Swoole's, too) it is that one's: no other one of
         * the process, nor the main program, can end it.
         */
        public static function lock(string $key, int|float $lease = 0): bool {}

        /**
         * Ends what lock() reserved. False when this process, or the fiber or coroutine that calls, has not reserved the key, or
         * it is remember() that has: within its $compute() that changes nothing.
         */
        public static function unlock(string $key): bool {}

        /**
         * The entry, or what $compute() returns, which is then stored. One process computes, the others wait for it
         * for up to 10 seconds, as they do for one that has reserved the key with lock(). With $stale, an entry is kept
         * that much longer: during that time one process computes and the others get the old value.
         * A call does not wait where others wait for what its caller has reserved (a value that it computes, a session, a lock):
         * they may wait for one another, so it computes the value, too.
         * Fibers of one process do not wait for one another, for only the one that runs can let the other go on: where
         * one of them suspends in $compute(), another that needs the entry meanwhile computes it as well, and the entry
         * is what was returned last. A $compute() that needs its own result in its own fiber is an error.
         * @throws StaticCacheException $compute() called remember() of its own key
         */
        public static function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}

        public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

        /** The keys that begin with $prefix, in no order. */
        public static function keys(string $prefix = ""): iterable {}

        /** The pool of that name, 1 to 255 bytes. It comes to be with the first entry that is stored in it. */
        public static function pool(string $name): Pool {}
    }

    /**
     * A part of VolatileCache with keys of its own: the same key in two pools is two entries, and VolatileCache has
     * neither. The methods are those of VolatileCache. A key may be as long as there, less the name and 14 bytes.
     *
     * What the entries have in common is a record, itself an entry that each call reads (VolatileCache::info() counts
     * that as a hit): keep a pool for what many keys share, not one for each user. VolatileCache::clear() empties the pools too, and a pool that is not
     * used while the store is full may be evicted like an entry.
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

        public function set(string $key, mixed $value, int|float $ttl = 0): bool {}

        public function setMultiple(array $values, int|float $ttl = 0): bool {}

        public function add(string $key, mixed $value, int|float $ttl = 0): bool {}

        public function has(string $key): bool {}

        public function delete(string $key): bool {}

        public function deleteMultiple(array $keys): bool {}

        /**
         * Removes all entries, however many. Their memory comes back as the store needs it; until then it counts as
         * used, and VolatileCache::info() counts the entries.
         */
        public function clear(): bool {}

        /** null: there is no such entry. */
        public function keyInfo(string $key): ?KeyInfo {}

        public function touch(string $key, int|float $ttl): bool {}

        public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

        /** clear() does not affect it. */
        public function lock(string $key, int|float $lease = 0): bool {}

        public function unlock(string $key): bool {}

        /**
         * The right to fill a key that is a miss, or null: the key has an entry or a lease, or there is no such pool. An
         * entry that is a miss here, because a class is gone or has changed, gives way; to see that it is restored, and
         * what its hooks throw is passed on. Any write or delete of the key breaks a lease, as do clear(), eviction
         * and the end of $seconds: increment() makes an entry from 0, delete() returns true. To all other calls a
         * leased key is a miss: touch() returns false and leaves the lease as it is, and so does add(). Whoever reads
         * data from elsewhere to keep it here takes a lease, reads, and fills: what was invalidated in between is not
         * stored.
         * @return string|null what fill() takes
         */
        public function lease(string $key, int|float $seconds = 10): ?string {}

        /** As set(), but only while the lease holds; else false. */
        public function fill(string $key, mixed $value, string $lease, int|float $ttl = 0): bool {}

        /** Ends the key's entry or lease. False only where the key's part of the store is busy for longer than 100 ms. */
        public function invalidate(string $key): bool {}

        /**
         * Makes the pool anew, empty, to be empty again after $seconds unless it is prolonged: then its entries are gone
         * at once. For a copy of data that somebody has to keep true. set(), add(), increment() and remember() make a
         * pool that is not there; get(), lease() and fill() do not.
         * @return string|null what prolong() takes; null: the store is off or has no room
         */
        public function begin(int|float $seconds): ?string {}

        /** Lets the pool last $seconds from now on; false when it is not what that begin() made any more. */
        public function prolong(string $token, int|float $seconds): bool {}

        /** What was computed when the pool is cleared meanwhile is returned, but not kept. */
        public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed {}

        /** Walks the whole store. */
        public function info(): PoolInfo {}
    }

    /**
     * The state of a pool. Uses are counted by each process and added to the pool's counts when it has no use for the
     * pool any more, at the latest when the request ends: those of a process that is killed are lost. They begin anew
     * when the pool was evicted.
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
     * Entries that stay until they are deleted: when the store is full, writes fail.
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

        public static function lock(string $key, int|float $lease = 0): bool {}

        public static function unlock(string $key): bool {}

        public static function remember(string $key, callable $compute): mixed {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}

        public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

        public static function keys(string $prefix = ""): iterable {}
    }

    /**
     * Calls $callback, returns what it returns, and lets go of the values that were fetched from any cache and are not
     * used any more: for workers whose request does not end (queue consumers, application servers), once a job. Other
     * processes can then use their memory, and later gets need not copy.
     *
     * Safe whatever the callback does. Nothing that a variable, property, static, generator, fiber or anything else in
     * this process still points to is let go, also where it was fetched before. A returned string or array is copied, so
     * that keeping it does not keep a whole value. Finding out reads this process's memory once, about 1 ms for 10 MB;
     * nothing is read where nothing new was fetched. Where that is not possible (a process with further
     * threads, /proc/self/pagemap cannot be read) everything stays until the request ends, as without it.
     *
     * An exception of the callback is passed on. Scopes may be nested, and fibers may be suspended in them.
     */
    function scope(callable $callback): mixed {}
}
