<?php

/**
 * The classes and functions of the PHP extension "larder", for IDEs and static analysis; never loaded.
 * Made by `make docs` from the stubs of the extension.
 */

declare(strict_types=1);

namespace Larder;

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
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
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
     * @param array<array-key, mixed> $values
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
     * @param array<array-key, int|string> $keys
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
     * @param callable(): T $compute
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
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array {}

    public function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

    /** @param array<array-key, mixed> $values */
    public function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool {}

    public function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

    public function has(string $key): bool {}

    public function delete(string $key): bool {}

    /** @param array<array-key, int|string> $keys */
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
     * @param callable(): T $compute
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
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>|false
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false {}

    public static function set(string $key, mixed $value): bool {}

    /** @param array<array-key, mixed> $values */
    public static function setMultiple(array $values): bool {}

    public static function add(string $key, mixed $value): bool {}

    public static function has(string $key): bool {}

    public static function delete(string $key_or_class): bool {}

    /** @param array<array-key, int|string> $keys */
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
     * @param callable(): T $compute
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
 * @param callable(): T $callback
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
 * @param (callable(float): mixed)|null $wait
 */
function waitWith(?callable $wait): void {}

/**
 * Gives permits to a limited number of callers at the same time. The permits of all processes that share the volatile store count together.
 * VolatileCache::clear() does not end permits.
 */
final class Semaphore
{
    private function __construct() {}

    /**
     * Acquires a permit of the semaphore $name (1 to 1024 bytes). If all permits have owners, the call waits up to $wait seconds. All callers
     * must give the same number of $permits (1 to 1024). A permit ends with release(), when its object is destroyed, after $lease seconds (0
     * means no lease), and when the request or the process ends, even if the process is killed. Waiting callers get permits in about the order of
     * their calls, but calls that wait in the waitWith() function may be overtaken.
     *
     * @return Permit|null null if no permit became free in time, if this process (in ZTS builds: this thread) has all permits, or if a signal
     * ended the wait
     * @throws StaticCacheException if the store is off, or has no room for the semaphore
     */
    public static function acquire(string $name, int $permits, int|float $lease = 0, int|float $wait = 0): ?Permit {}

    /** Returns the number of permits that have owners. */
    public static function count(string $name, int $permits): int {}
}

/**
 * A permit of a semaphore. It is released when this object is destroyed.
 * @strict-properties
 * @not-serializable
 */
final class Permit
{
    private function __construct() {}

    /** Sets the lease: the permit ends in $lease seconds (0 means no lease). Returns false if the permit has ended. */
    public function renew(int|float $lease): bool {}

    /** Ends the permit. Returns false if the permit has already ended. */
    public function release(): bool {}
}

/**
 * A value that one process publishes and all others read, such as flags, routes or prices. A read costs about as much as that of a static
 * property. The value is in the pinned store; PinnedCache::clear() ends the broadcast.
 *
 * @strict-properties
 * @not-serializable
 */
final class Broadcast
{
    private function __construct() {}

    /** The last published value, or null if no value was published. */
    public readonly mixed $value;
    /**
     * A number that each publication raises; 0 if nothing was published since PinnedCache::clear(). No number occurs twice, not even after a
     * clear().
     */
    public readonly int $version;

    /** Opens the broadcast with this name (1 to 1024 bytes). Keep the object, because opening a broadcast takes longer than reading its value. */
    public static function open(string $name): Broadcast {}

    /**
     * Stores a value, as PinnedCache::set() does, and wakes all waiting processes. Returns false if there is no room, or if other processes have
     * been publishing for 5 seconds.
     */
    public function publish(mixed $value): bool {}

    /**
     * Sleeps until the version of the broadcast differs from $version. Returns false after $timeout seconds, or if a signal has
     * arrived.
     */
    public function wait(int $version, int|float $timeout): bool {}
}

/**
 * Files that file_get_contents() returns from shared memory if larder.file_cache = 1.
 * @strict-properties
 */
final class FileCache
{
    private function __construct() {}

    /**
     * Remove a file from this user's cache. Returns true if it was cached. Call this after changing a file, if reads do not check files
     * (larder.file_cache_revalidate).
     */
    public static function invalidate(string $path): bool {}

    /** Return the state of the file cache. Reads the whole volatile store. */
    public static function info(): FileCacheInfo {}
}

/**
 * The state of the file cache. All processes share the counts. The counts return to 0 when the store is cleared, or when it evicts the
 * counts.
 * @strict-properties
 */
final class FileCacheInfo
{
    private function __construct() {}

    /** True if larder.file_cache is on and the volatile store can be used. */
    public readonly bool $enabled;
    /** Number of cached files, of all users. */
    public readonly int $entry_count;
    /** Total size in bytes of the cached files. */
    public readonly int $bytes;
    public readonly int $hits;
    /** Files that were read and then cached. */
    public readonly int $misses;
    /** How often a cached file was checked for changes. */
    public readonly int $revalidations;
}

/**
 * Shows the state and the entries of a store, for the command `larder`, its dashboard and its metrics. Its reads do not count as uses,
 * and delay no other process. Only own() may create a store.
 *
 * @strict-properties
 * @not-serializable
 */
final class Inspector
{
    private function __construct() {}

    /**
     * Inspect a store of this process: "volatile", "pinned", "immutable", "apcu", "session" or "queue" (which has no entries, see
     * Larder\Queue). Opens or creates the store, as a program would.
     *
     * @throws StaticCacheException if the store is off; the message says why
     */
    public static function own(string $store): Inspector {}

    /**
     * Inspect the store in an existing file, of any size, kind and PHP version. The file must belong to the calling user, and
     * open_basedir must allow its path.
     *
     * @throws StaticCacheException if there is no such store, or if it cannot be used; the message says why
     */
    public static function open(string $path): Inspector {}

    /**
     * Return the path of this user's named store with this scope and folder, even if it does not exist.
     *
     * @throws StaticCacheException if $scope is not a valid scope, or if open_basedir does not allow the path
     */
    public static function path(string $store, string $scope, string $folder = "/dev/shm"): string {}

    /**
     * Return the statistics of the store. Sizes are in bytes, and times in seconds. Counts begin when the store is created.
     *
     * - The store: name, path ("" if anonymous), policy ("volatile", "pinned", "immutable", "session" or "queue"), size, value_limit,
     *   entry_limit, thread_limit.
     * - abi: the PHP that has written the values, such as "php20220829,NTS,8,codec11".
     * - readable: true if this PHP can read the values.
     * - fence: true if reads cost more, because membarrier was denied when the store was created.
     * - Memory: used (bytes of live values), claimed (bytes of the pages that are in use), retired (bytes that are not free yet), held
     *   (bytes that threads are allowed to hold at the moment), entries.
     * - Counts: hits, misses, inserts, replaces, deletes, evicted, expired, ghost_hits (inserts of keys that were evicted recently),
     *   refused, refusal_causes (the number for each cause), busy (calls that waited in vain for a lock), threads.
     * - Average age of entries that were evicted recently: evicted_age.
     * - Mishaps: deaths, recoveries, repairs (repairs that dropped damaged data), memory_short (how often the file system had no room
     *   for more memory of the store).
     * - Reads that returned a copy: copies, copy_causes (the number for each cause). The causes are "memory" (the thread held too
     *   many bytes), "time" (it held values too long) and "number" (it held too many values).
     * - Forms (see larder.form): packs (values that were stored packed), falls (ready values that became packed), rises (packed values
     *   that became ready) and unpacks (reads of packed values).
     * - Packed entries: packed_entries (their number), packed_bytes (their memory), packed_ready (the memory that they would take if
     *   they were ready).
     * - Age: uptime (seconds since the store was created).
     * - This worker: resident_graphs, resident_bytes and failures (the number of failed attempts to open the store).
     *
     * @return array<string, mixed>
     */
    public function stats(): array {}

    /**
     * Return at most $limit entries whose key begins with $prefix, or all of them if $limit is 0. $order is "" (no order), "key", "ttl"
     * (the next to expire comes first), or "size", "uses" or "age" (the largest comes first).
     *
     * Each entry has these elements:
     * - key, type and version, and pool (null if the entry has no pool).
     * - size (bytes of the value), and bytes (bytes of value, key and header).
     * - form ("ready" or "packed"), and ready (the size of the value in the ready form).
     * - age (seconds; null for an int), and ttl (seconds left; null if there is no limit).
     * - uses: the number of recent uses, from 0 to 3.
     *
     * For a session, "pool" is its session.save_path, and "key" is a short hash of this path and the secret id. $prefix is compared with the
     * path, followed by a NUL byte.
     *
     * @return list<array<string, mixed>>
     */
    public function entries(string $prefix = "", string $order = "", int $limit = 0, ?string $pool = null): array {}

    /**
     * Return only the keys of entries(), in no particular order. Takes less memory. If $named is true, the key of an entry in a
     * Larder\Pool begins with the pool's name and a slash.
     *
     * @return list<string>
     */
    public function keys(string $prefix = "", int $limit = 0, ?string $pool = null, bool $named = false): array {}

    /**
     * Return the number of entries and their bytes for each pool, with "" for entries without a pool.
     *
     * @return array<string, array{entries: int, bytes: int}>
     */
    public function totals(string $prefix = ""): array {}

    /**
     * Return the value of an entry, or null if there is none. $found becomes true if the entry exists.
     *
     * @param bool $found
     * @throws StaticCacheException if the values were written by another build of PHP or by another language, or if they are sessions
     */
    public function value(string $key, &$found = null): mixed {}

    /**
     * Delete an entry. For a session, $key comes from entries(). Returns true if the entry existed.
     *
     * @throws StaticCacheException if a request is using the session
     */
    public function delete(string $key): bool {}

    /**
     * Remove all entries. If $prefix is not empty, removes only entries that have no pool and a key that begins with $prefix. Returns the
     * number of removed entries.
     */
    public function clear(string $prefix = ""): int {}

    /**
     * Check all invariants of the store's data structures.
     * @return list<string> the violations
     */
    public function fsck(): array {}

    /** @return list<array{thread: int, hits: int, misses: int, copies: int, held: int}> the threads that use the store */
    public function threads(): array {}
}

/**
 * A named queue. It delivers each message at least once: a message stays until it is acknowledged or deleted, or expires.
 * @strict-properties
 * @not-serializable
 */
final class Queue
{
    private function __construct() {}

    /**
     * Open or create the queue of this name (1 to 200 bytes), which accepts at most $capacity messages. If $capacity is 0, an existing
     * queue keeps its capacity, and a new queue is limited only by memory. Throws a StaticCacheException if queues are off.
     */
    public static function open(string $name, int $capacity = 0): Queue {}

    /**
     * Return the names of all queues, or an empty array if queues are off.
     *
     * @return list<string>
     */
    public static function names(): array {}

    public function name(): string {}

    /**
     * Push a message, and return its id, or null if there is no room even after $wait. The message is ready after $delay. Messages with
     * a higher $priority (32 bits) are popped first. After $ttl seconds (0: never), the message expires unless it is reserved.
     */
    public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string {}

    /**
     * Push all bodies in order, and return their ids under the keys of the bodies. If there is too little room, only the first bodies are
     * pushed, and the result has only the keys of these bodies.
     *
     * @param array<array-key, mixed> $bodies
     * @return array<array-key, string>
     */
    public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array {}

    /**
     * Reserve the next message. Returns null if there is none within $timeout, or if a signal arrives. The message belongs to this
     * process until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). If the message object is destroyed
     * before that, or the process ends, the message is ready again.
     * @throws StaticCacheException with the code 0 if a class of the body is gone or has changed (the message is then buried), or with
     * another code if the store cannot be used
     */
    public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message {}

    /**
     * Reserve a message as pop() does, and then more messages that are ready. Stops after $count messages, or earlier if memory_limit
     * leaves too little room.
     *
     * @return list<Message>
     */
    public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array {}

    /**
     * Return the message $id in any state or, without $id, the one that will be popped next. Does not reserve it.
     * @throws StaticCacheException if a class of the body is gone or has changed
     */
    public function peek(?string $id = null): ?Message {}

    /**
     * Return all messages, or at most $limit, in any state and in no particular order. Does not reserve them.
     *
     * @return list<Message>
     * @throws StaticCacheException if a class of one of the bodies is gone or has changed
     */
    public function list(int $limit = 0): array {}

    /** Remove a message. Returns false if there is no message with this id, or if another process has reserved it. */
    public function delete(string $id): bool {}

    /** Make at most $count buried messages ready again, the oldest first. Returns their number. */
    public function kick(int $count = PHP_INT_MAX): int {}

    /**
     * Remove all messages that are not reserved or, with $reserved, all messages. Returns their number. The workers of reserved messages
     * then get false from ack(), release() and bury().
     */
    public function clear(bool $reserved = false): int {}

    public function info(): QueueInfo {}
}

/**
 * A message. Its methods return false if the message is not reserved for this object: it was not popped, its time to run is over, or it
 * is already acknowledged, released or buried. They also return false while a stopped process has locked the queue; the message stays
 * reserved, and you may try again.
 * @strict-properties
 * @not-serializable
 */
final class Message
{
    private function __construct() {}

    public readonly mixed $body;
    public readonly string $id;
    /** How often the message was popped, including this time. */
    public readonly int $attempts;
    public readonly int $priority;
    /** "ready", "reserved", "delayed" or "buried": the state when this object was returned. */
    public readonly string $state;

    /** Acknowledge the message: its work is done, and it is removed. */
    public function ack(): bool {}

    /** Make the message ready again after $delay. */
    public function release(int|float $delay = 0): bool {}

    /** Bury the message: it is not popped again before Queue::kick(). */
    public function bury(): bool {}

    /** Restart the message's time to run: $timeToRun (0: no limit), or null for the time that was given to pop(). */
    public function touch(int|float|null $timeToRun = null): bool {}

    /** True if this object must still acknowledge, release or bury the message. */
    public function isReserved(): bool {}
}

/**
 * The state of a queue.
 * @strict-properties
 */
final class QueueInfo
{
    private function __construct() {}

    /** The number of messages that are ready now. */
    public readonly int $ready;
    public readonly int $reserved;
    public readonly int $delayed;
    public readonly int $buried;
    /** Size in bytes of the shared memory that the messages use. */
    public readonly int $bytes;
    /** The maximum number of messages; 0 means that only memory limits it. */
    public readonly int $capacity;
    /** The number of messages pushed since the queue was created. */
    public readonly int $pushed;
    public readonly int $acked;
    /** The number of messages that delete() and clear() removed. */
    public readonly int $deleted;
    /** The number of times that a message was popped again. */
    public readonly int $redelivered;
    /** The number of messages that became ready again because their process died, or took longer than $timeToRun. */
    public readonly int $returned;
    public readonly int $expired;
    /** The number of pushes that found no room. */
    public readonly int $refused;
    /** The number of times that a push woke a waiting worker. */
    public readonly int $wakeups;
    /**
     * How long the oldest ready message has been ready, since its push, its kick() or the end of its delay. Accurate to one second; 0
     * if no message is ready.
     */
    public readonly float $oldest;
}

/**
 * The sessions of session.save_handler = larder, for tools. Sites with different save paths have separate sessions: all methods except
 * info() use the sessions of $path, or of the current session.save_path.
 * @strict-properties
 */
final class Sessions
{
    private function __construct() {}

    /** Return the state of the store, which has the sessions of all save paths. */
    public static function info(): StaticCacheInfo {}

    /** Count the live sessions. Reads the whole store. */
    public static function count(): int {}

    /**
     * Destroy a session. Returns true if there was one. While another request uses the session, this call waits as session_start() does. If
     * the calling request writes data to the session later, this data is dropped.
     * @throws StaticCacheException if another request uses the session for longer than larder.session_lock_wait
     */
    public static function destroy(string $id, ?string $path = null): bool {}

    /**
     * Return the text of a session, or null if there is none. read() and write() are for applications that do not use session_start().
     * They take no lock and do not wait.
     * @throws StaticCacheException if the store is off, or the session is damaged. A damaged session is destroyed, so the next call
     * returns null
     */
    public static function read(string $id, ?string $path = null): ?string {}

    /**
     * Store a session for $ttl seconds, or without limit if $ttl is 0. If this method throws, the earlier text remains.
     * @throws StaticCacheException if the store is full or off, or the text is longer than larder.session_max_size
     */
    public static function write(string $id, string $data, int|float $ttl, ?string $path = null): void {}

    /**
     * Return the ids of live sessions, in no particular order. Reads the whole store.
     *
     * @return list<string>
     */
    public static function ids(): array {}
}

/** The time at which a changed static is published. */
enum CacheStrategy: int
{
    /** Publish an assignment, or a change of an array, at the next safe point of the program. */
    case Immediate = 0;
    /** Publish at the end of the request, if the value has changed. Changes inside objects count, too. */
    case Tracking = 1;
}

/**
 * Keep the value of the static property, or of all static variables of the method or function, beyond the request, in the store of VolatileCache.
 * It may be evicted. A request begins with the value that was published last, or with the declared default. Cannot be applied in an anonymous
 * class.
 *
 * @strict-properties
 */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class VolatileStatic
{
    /** Time to live of a published value, in seconds. 0 means no limit. */
    public readonly int $ttl;
    public readonly CacheStrategy $strategy;

    public function __construct(int $ttl = 0, CacheStrategy $strategy = CacheStrategy::Immediate) {}
}

/**
 * Keep the value beyond the request, as VolatileStatic does, but in the store of PinnedCache, until it is deleted. Each assignment, and each
 * change of an array, is published at the next safe point. If that fails, the safe point throws a StaticCacheException.
 *
 * @strict-properties
 */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class PinnedStatic
{
    public function __construct() {}
}
