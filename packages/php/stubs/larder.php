<?php

/**
 * The classes of the PHP extension "larder", for IDEs and static analysis; never loaded. Signatures and comments are those of the
 * extension's php/larder.stub.php; a test compares the signatures.
 */

declare(strict_types=1);

namespace Larder;

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
class StaticCacheException extends \Exception {}

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

/** When a changed static is published. */
enum CacheStrategy: int
{
    /** Publish an assignment, or a change of an array, at the next safe point of the program. */
    case Immediate = 0;
    /** Publish at the end of the request, if the value differs then, even inside an object. */
    case Tracking = 1;
}

/**
 * Keep the value of the static property, or of all static variables of the method or function, beyond the request. It lies in the store
 * of VolatileCache and may be evicted. A request begins with the value that was published last or, if there is none, with the declared
 * default. Not for anonymous classes.
 * @strict-properties
 */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class VolatileStatic
{
    /** Seconds that a published value lives; 0: no limit. */
    public readonly int $ttl;
    public readonly CacheStrategy $strategy;

    public function __construct(int $ttl = 0, CacheStrategy $strategy = CacheStrategy::Immediate) {}
}

/**
 * Keep the value like VolatileStatic, but in the store of PinnedCache, where it stays until it is deleted. Each assignment, and each
 * change of an array, is published at the next safe point. If that fails, a StaticCacheException is thrown there.
 * @strict-properties
 */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class PinnedStatic
{
    public function __construct() {}
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
     * @return array<array-key, mixed>|false
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false {}

    /**
     * Store a value. Returns false if there is no room, or if the key's part of the store is busy for longer than 100 ms.
     * $form replaces the setting larder.form for this value, if it is an array, an object or a long string. With "ready" it is read in place,
     * and packed later only if memory is short and no process reads it. With "packed" it takes a fifth of the memory, and each read decodes
     * it, also while there is room. With "auto" it is packed while entries are evicted, and ready otherwise.
     */
    public static function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

    /**
     * Store several values. Returns true if all were stored. A value that cannot be stored throws before any is stored.
     * @param array<array-key, mixed> $values
     */
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

    /**
     * Delete several entries. Returns true if each of them existed.
     * @param array<array-key, int|string> $keys
     */
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
     * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes, and
     * costs as much as increment(). $cost 0 only reads the limit. With $wait, units that come back within $wait seconds are taken in
     * advance: retryAfter is then the time to wait before using them. With $sliding no $per seconds ever admit more than $limit units, at
     * most 16383: units come back $per seconds after they were taken, or up to 4 % later. $per is then at least 1, and $wait 0. Callers that
     * share a key must give the same $limit, $per and $sliding.
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
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public static function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed {}

    public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

    public static function info(): StaticCacheInfo {}

    public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

    /**
     * Return the keys that begin with $prefix, in no order.
     * @return array<int, string>
     */
    public static function keys(string $prefix = ''): iterable {}

    /**
     * Return the pool of that name (1 to 255 bytes). Storing the first entry creates the pool. $form is the form of all values that this
     * object stores; see set().
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

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array {}

    public function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

    /**
     * @param array<array-key, mixed> $values
     */
    public function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool {}

    public function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool {}

    public function has(string $key): bool {}

    public function delete(string $key): bool {}

    /**
     * @param array<array-key, int|string> $keys
     */
    public function deleteMultiple(array $keys): bool {}

    /**
     * Remove all entries, in a time that does not depend on their number. Their memory is freed when the store needs it. Until then it
     * counts as used, and VolatileCache::info() counts the entries.
     */
    public function clear(): bool {}

    public function keyInfo(string $key): ?KeyInfo {}

    public function touch(string $key, int|float $ttl): bool {}

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false {}

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false {}

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
     * Create the pool, or replace it by an empty one. After $seconds all its entries end at once, unless prolong() is called before. Use
     * this for a copy of data that a listener keeps up to date. The calls set(), add(), increment() and remember() create a missing pool;
     * get(), lease() and fill() do not.
     * @return string|null the $token for prolong(); null if the store is off or has no room
     */
    public function begin(int|float $seconds): ?string {}

    /** Let the pool last for $seconds from now on. Returns false if another pool has replaced the one of that begin(). */
    public function prolong(string $token, int|float $seconds): bool {}

    /**
     * Return or compute a value like VolatileCache::remember(). If the pool is cleared meanwhile, the computed value is returned but
     * not stored.
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
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

    /**
     * @return array<array-key, mixed>|false
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false {}

    public static function set(string $key, mixed $value): bool {}

    /**
     * @param array<array-key, mixed> $values
     */
    public static function setMultiple(array $values): bool {}

    public static function add(string $key, mixed $value): bool {}

    public static function has(string $key): bool {}

    public static function delete(string $key_or_class): bool {}

    /**
     * @param array<array-key, int|string> $keys
     */
    public static function deleteMultiple(array $keys): bool {}

    public static function clear(): bool {}

    public static function increment(string $key, int $step = 1): int|false {}

    public static function decrement(string $key, int $step = 1): int|false {}

    /**
     * Take $cost units of a rate limit of $limit units in $per seconds, shared by all processes, or none if fewer are left. An unused
     * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes, and
     * costs as much as increment(). $cost 0 only reads the limit. With $wait, units that come back within $wait seconds are taken in
     * advance: retryAfter is then the time to wait before using them. With $sliding no $per seconds ever admit more than $limit units, at
     * most 16383: units come back $per seconds after they were taken, or up to 4 % later. $per is then at least 1, and $wait 0. Callers that
     * share a key must give the same $limit, $per and $sliding.
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

    /**
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public static function remember(string $key, callable $compute): mixed {}

    public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

    public static function info(): StaticCacheInfo {}

    public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

    /** @return array<int, string> */
    public static function keys(string $prefix = ''): iterable {}
}

/**
 * The sessions of session.save_handler = larder, for tools. All methods except info() use the sessions of the current
 * session.save_path, or of $path: sites with different paths have separate sessions.
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
     * End a session. Returns true if there was one. Waits, as session_start() does, while another request uses it. Later writes of this
     * request to the session are dropped.
     * @throws StaticCacheException another request uses the session for longer than larder.session_lock_wait
     */
    public static function destroy(string $id, ?string $path = null): bool {}

    /**
     * Return the text of a session, or null if there is none, for applications that do without session_start(). Neither read() nor
     * write() takes a lock or waits.
     * @throws StaticCacheException the store is off
     */
    public static function read(string $id, ?string $path = null): ?string {}

    /**
     * Store a session for $ttl seconds from now on (0: no limit). If this throws, the earlier text is still stored.
     * @throws StaticCacheException the store is full or off, or the text is longer than larder.session_max_size
     */
    public static function write(string $id, string $data, int|float $ttl, ?string $path = null): void {}

    /**
     * Return the ids of live sessions, in no order. Reads the whole store.
     * @return list<string>
     */
    public static function ids(): array {}
}

/**
 * The files that file_get_contents() reads from shared memory if larder.file_cache = 1.
 * @strict-properties
 */
final class FileCache
{
    private function __construct() {}

    /**
     * Forget a file, for the user of this process. Returns true if it was cached. Needed if files are not checked at each read
     * (larder.file_cache_revalidate).
     */
    public static function invalidate(string $path): bool {}

    /** Return the state of the file cache. Reads the whole volatile store. */
    public static function info(): FileCacheInfo {}
}

/**
 * The state of the file cache. The counts are those of all processes. They start at 0 again when the volatile store is cleared or
 * evicts them.
 * @strict-properties
 */
final class FileCacheInfo
{
    private function __construct() {}

    /** True if larder.file_cache is on and the volatile store can be used. */
    public readonly bool $enabled;
    /** Number of cached files, of all users. */
    public readonly int $entry_count;
    /** Bytes of their content. */
    public readonly int $bytes;
    public readonly int $hits;
    /** Files that were read and then cached. Files that cannot be cached do not count. */
    public readonly int $misses;
    /** Number of checks if a cached file has changed. */
    public readonly int $revalidations;
}

/**
 * Call $callback, release all fetched values that are no longer used, and return the callback's result. Call it once per job in workers
 * whose request does not end (queue consumers, application servers). Other processes can then use the memory, and later gets need not copy.
 *
 * A value stays while a variable, property, static, generator, fiber or anything else in this process points to it, even if it was fetched
 * before. A returned string or array is copied, so that it does not keep a whole value. To find unused values, the call reads the memory
 * of this process once, about 1 ms for 10 MB, if something new was fetched. If that is not possible (the process cannot read
 * /proc/self/pagemap, or larder.collect is off), everything stays until the request ends.
 *
 * Exceptions of the callback are passed on. Scopes may be nested, and fibers may suspend in them.
 *
 * @template T
 * @param callable(): T $callback
 * @return T
 */
function scope(callable $callback): mixed {}

/**
 * End one of many requests in a worker. Unlock all keys that are still locked, publish static properties that have changed, and release
 * fetched values that are no longer used, once there are enough of them that a search pays. Call it after each request or job, outside
 * of fibers, coroutines and remember(). Returns the number of keys that were still locked, and logs it the first time.
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
 * Let this process wait for others with $wait from now on, until the request ends: for programs with an event loop. Instead of sleeping,
 * remember(), Queue::pop(), popMany(), push() and pushMany(), Semaphore::acquire() and Broadcast::wait() call $wait(float $seconds) and
 * look again, until the wait is over; the pauses grow from 1 to 20 milliseconds. $wait suspends its fiber for about that time, so that
 * others run. It returns false if it cannot suspend; then the call sleeps. A wait within $wait sleeps, too. An exception of $wait ends the
 * call. null: sleep again.
 *
 * remember() then waits for other fibers of this process, too, instead of computing the same value in each.
 * The library has such functions: Larder\Loop\Revolt, React and Swoole.
 *
 * @param (callable(float): mixed)|null $wait
 */
function waitWith(?callable $wait): void {}

/**
 * A named queue. Delivery is at least once: a pushed message stays until it is acknowledged or deleted, or expires. An acknowledged
 * message is never delivered again.
 * @strict-properties
 * @not-serializable
 */
final class Queue
{
    private function __construct() {}

    /**
     * Open or create the queue of this name (1 to 200 bytes). $capacity is the most messages it accepts from now on. 0 changes nothing;
     * a new queue then has no limit except memory. Throws a StaticCacheException if queues are off.
     */
    public static function open(string $name, int $capacity = 0): Queue {}

    /**
     * Return the names of all queues; empty if queues are off.
     * @return list<string>
     */
    public static function names(): array {}

    public function name(): string {}

    /**
     * Push a message and return its id, or null if there is no room even after $wait. The message is not ready before $delay. A higher
     * $priority (32 bits) goes first. After $ttl (0: never) the message expires, unless it is reserved then.
     */
    public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string {}

    /**
     * Push all bodies in order and return their ids under the same keys: fewer if there is no room for all.
     * @param array<array-key, mixed> $bodies
     * @return array<array-key, string|null>
     */
    public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array {}

    /**
     * Reserve the next message. Returns null if there is none within $timeout, or if a signal arrives. The message belongs to this
     * process until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). If the object is destroyed before, or
     * the process ends or dies, the message is ready again at once.
     * @throws StaticCacheException a class of the body is gone or has changed (the message is buried), or the
     *     store's file is gone (the code is not 0)
     */
    public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message {}

    /**
     * Reserve a message like pop(), and then ready ones up to $count in all: fewer if memory_limit leaves no room for more.
     * @return list<Message>
     */
    public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array {}

    /**
     * Look at a message without reserving it: the one with this id in any state, or the next one to be popped.
     * @throws StaticCacheException a class of the body is gone or has changed
     */
    public function peek(?string $id = null): ?Message {}

    /**
     * Return all messages, or at most $limit, in any state and no order, without reserving them.
     * @throws StaticCacheException a class of one of the bodies is gone or has changed
     * @return list<Message>
     */
    public function list(int $limit = 0): array {}

    /** Remove a message. Returns false if there is none with this id, or if another process has reserved it. */
    public function delete(string $id): bool {}

    /** Make at most $count buried messages ready, the oldest first. Returns their number. */
    public function kick(int $count = PHP_INT_MAX): int {}

    /**
     * Remove all messages that are not reserved, and return their number. With $reserved, remove reserved ones too: the worker's ack(),
     * release() and bury() then return false.
     */
    public function clear(bool $reserved = false): int {}

    public function info(): QueueInfo {}
}

/**
 * A message. Its methods return false if this object does not reserve the message: it was never popped, its time to run is over, or it
 * was acknowledged, released or buried before.
 * They also return false while a process that has the queue's lock is stopped. The message then stays reserved, and you may try again.
 * @strict-properties
 * @not-serializable
 */
final class Message
{
    private function __construct() {}

    public readonly mixed $body;
    public readonly string $id;
    /** How often it was popped, this time included. */
    public readonly int $attempts;
    public readonly int $priority;
    /** "ready", "reserved", "delayed" or "buried", at the time of the call. */
    public readonly string $state;

    /** Acknowledge the message: it is done and removed. */
    public function ack(): bool {}

    /** Make the message ready again, after $delay. */
    public function release(int|float $delay = 0): bool {}

    /** Put the message aside until Queue::kick(). */
    public function bury(): bool {}

    /** Restart the time to run: the one of pop(), or $timeToRun (0: no limit). */
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

    /** Messages now. */
    public readonly int $ready;
    public readonly int $reserved;
    public readonly int $delayed;
    public readonly int $buried;
    /** Bytes of shared memory that the messages use. */
    public readonly int $bytes;
    /** The most messages; 0: no limit except memory. */
    public readonly int $capacity;
    /** Since the queue was created. */
    public readonly int $pushed;
    public readonly int $acked;
    /** By delete() and clear(). */
    public readonly int $deleted;
    /** Pops of a message that had been popped before. */
    public readonly int $redelivered;
    /** Messages that came back because their process died, or took too long. */
    public readonly int $returned;
    public readonly int $expired;
    /** Pushes that found no room. */
    public readonly int $refused;
    /** How often a push woke a waiting worker. */
    public readonly int $wakeups;
    /** Seconds that the oldest ready message has waited since its push, the end of its delay, or a kick; 0 if none is ready. */
    public readonly float $oldest;
}

/**
 * Inspects a store from outside, for the command `larder`, its dashboard and its metrics. Inspecting never creates a store, does not
 * count as an access, and delays no other process.
 * @strict-properties
 * @not-serializable
 */
final class Inspector
{
    private function __construct() {}

    /**
     * Inspect a store of this process: "volatile", "pinned", "immutable", "apcu", "session" or "queue" (without entries; see
     * Larder\Queue).
     * @throws StaticCacheException the store is off; the message says why
     * @throws StaticCacheException it is off; the message says why
     */
    public static function own(string $store): Inspector {}

    /**
     * Inspect the store in an existing file, of any size, kind and PHP version. The file must belong to the calling user, and
     * open_basedir must allow its path.
     * @throws StaticCacheException there is none, or it cannot be used; the message says why
     */
    public static function open(string $path): Inspector {}

    /**
     * Return the path of a named store of this user, as larder.path and larder.scope would choose it, whether it exists or not.
     * @throws StaticCacheException the scope is none, or open_basedir does not allow the path
     */
    public static function path(string $store, string $scope, string $folder = "/dev/shm"): string {}

    /**
     * Return sizes in bytes, times in seconds, and counts since the store was created.
     * - The store: name, path ("" if anonymous), policy ("volatile", "pinned", "immutable", "session", "queue"), size,
     *   value_limit, entry_limit, thread_limit.
     * - Its values: abi (the PHP that wrote them, such as "php20220829,0,0,8,codec11"), readable (this PHP can read them), fence
     *   (reads cost more, because membarrier was denied when the store was created).
     * - Memory: used, claimed, retired, held, entries.
     * - Counts: hits, misses, inserts, replaces, deletes, evicted, evicted_age, expired, ghost_hits, refused, refusal_causes (by
     *   cause), copies, deaths, recoveries, busy, threads.
     * - Age: uptime (seconds since the store was created).
     * - Of this worker: resident_graphs, resident_bytes and failures (to open the store).
     * @return array<string, mixed>
     */
    public function stats(): array {}

    /**
     * Return the entries whose key begins with $prefix, at most $limit (0: all). $order is "" (none), "key", "ttl" (the next to expire
     * first), or "size", "uses" or "age" (the largest first).
     * An entry has key, pool (null: none), type, size (of the value), bytes (with key and header), age (seconds; null for an int), ttl
     * (seconds left; null: no limit) and version. Its uses, from 0 to 3, say how often it was used since eviction last looked at it.
     *
     * The ids of sessions stay secret, because an id is enough to take a session over. For a session, pool is its session.save_path,
     * key is a short hash of path and id, and $prefix is compared with the path and a NUL. A site lists its own ids with
     * Larder\Sessions::ids().
     * @return list<array<string, mixed>>
     */
    public function entries(string $prefix = "", string $order = "", int $limit = 0, ?string $pool = null): array {}

    /**
     * Return only the keys of entries(), in no order, for large stores. With $named, the key of a Larder\Pool begins with the pool's
     * name and a slash.
     * @return list<string>
     */
    public function keys(string $prefix = "", int $limit = 0, ?string $pool = null, bool $named = false): array {}

    /**
     * Return the number of entries and their bytes by pool; entries without a pool under "".
     * @return array<string, array{entries: int, bytes: int}>
     */
    public function totals(string $prefix = ""): array {}

    /**
     * Return the value of an entry; $found tells if it exists.
     * @param bool $found
     * @throws StaticCacheException another PHP or another language wrote the values, or they are sessions
     * @throws StaticCacheException the values are of another PHP, or not of PHP, or sessions
     */
    public function value(string $key, &$found = null): mixed {}

    /**
     * Delete an entry. For a session, $key is the key from entries().
     * @throws StaticCacheException a request is using the session
     * @throws StaticCacheException a request has the session
     */
    public function delete(string $key): bool {}

    /** Remove all entries or, one after the other, the entries without a pool whose key begins with $prefix. Returns their number. */
    public function clear(string $prefix = ""): int {}

    /**
     * Check every invariant.
     * @return list<string> the violations
     */
    public function fsck(): array {}

    /** @return list<array{thread: int, hits: int, misses: int, copies: int, held: int}> the threads that use the store */
    public function threads(): array {}
}

/**
 * A value that one process publishes and all others read at about the cost of a static property: flags, routes, prices. In the pinned
 * store, under names of its own; PinnedCache::clear() ends it.
 * @strict-properties
 * @not-serializable
 */
final class Broadcast
{
    private function __construct() {}

    /** The value that was published last; null: none yet. */
    public readonly mixed $value;
    /** Another number after each publication, 0 before the first. Looking at it is as cheap. */
    public readonly int $version;

    /** Opens the broadcast of this name, 1 to 1024 bytes. Keep the object. */
    public static function open(string $name): Broadcast {}

    /** Stores a value, as PinnedCache::set(), and wakes all that wait. False: no room, or others are publishing for seconds. */
    public function publish(mixed $value): bool {}

    /**
     * Sleeps until $version is no longer the broadcast's, for up to $timeout seconds. False: it still is, or a signal came. A loop
     * can look at the property instead.
     */
    public function wait(int $version, int|float $timeout): bool {}
}

/**
 * A permit of a semaphore, which its destruction releases.
 * @strict-properties
 * @not-serializable
 */
final class Permit
{
    private function __construct() {}

    /** Ends it $lease seconds from now (0: no lease); false when it had ended before. */
    public function renew(int|float $lease): bool {}

    /** Ends it; false when it had ended before, by its lease. */
    public function release(): bool {}
}

/**
 * A limited number of owners at a time, among all processes that share the volatile store. Semaphores are separate from its entries:
 * clear() ends no permit.
 */
final class Semaphore
{
    private function __construct() {}

    /**
     * Acquires one of $permits permits of the semaphore $name (1 to 1024 bytes), or waits for one for up to $wait seconds.
     * Callers that share a name give the same number, 1 to 1024. A permit ends with release(), when its object is destroyed, after
     * $lease seconds (0: no lease), with the request, or with its process: a killed owner's permit is free at once. Waiters get
     * permits in turn. While it waits, other fibers run only after waitWith(); then waiters have no turns.
     * @return Permit|null null: others have them all, or a signal ended the wait, or this process has them all itself
     * @throws StaticCacheException the store is off, or has no room for the reservation
     */
    public static function acquire(string $name, int $permits, int|float $lease = 0, int|float $wait = 0): ?Permit {}

    /** How many of the permits have owners. */
    public static function count(string $name, int $permits): int {}
}
