<?php

/**
 * The classes of the PHP extension "larder" for IDEs and static analysis; never loaded. What they promise is written in
 * the extension's own php/larder.stub.php, from which the signatures are taken; a test compares both.
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

/** When a changed static is published. */
enum CacheStrategy: int
{
    /** An assignment, and a change of an array, at the next safe point of the program. */
    case Immediate = 0;
    /** At the end of the request, if it differs then; also where an object inside has changed. */
    case Tracking = 1;
}

/**
 * The static property, or all static variables of the method or function, keep their value beyond the request, in
 * VolatileCache's store: it may be evicted. A request begins with the value that was published last or, where there
 * is none, with the declared default. Not in anonymous classes.
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
 * The same in PinnedCache's store: it stays until it is deleted. Each assignment, and each change of an array, is
 * published at the next safe point; where that fails, a StaticCacheException is thrown there.
 */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class PinnedStatic
{
    public function __construct() {}
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
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>|false
     */
    public static function getMultiple(array $keys, ?array $default = null): array|false {}

    /** False when there is no room, or the key's part of the store is busy for longer than 100 ms. */
    public static function set(string $key, mixed $value, int|float $ttl = 0): bool {}

    /**
     * True when all were stored. What cannot be stored throws before anything is.
     *
     * @param array<array-key, mixed> $values
     */
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

    /**
     * True when there was an entry for each.
     *
     * @param array<array-key, int|string> $keys
     */
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
     *
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public static function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed {}

    public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

    public static function info(): StaticCacheInfo {}

    public static function keyInfo(string $key_or_property, ?string $class_name = null): ?KeyInfo {}

    /**
     * The keys that begin with $prefix, in no order.
     *
     * @return array<int, string>
     */
    public static function keys(string $prefix = ''): iterable {}

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

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array {}

    public function set(string $key, mixed $value, int|float $ttl = 0): bool {}

    /**
     * @param array<array-key, mixed> $values
     */
    public function setMultiple(array $values, int|float $ttl = 0): bool {}

    public function add(string $key, mixed $value, int|float $ttl = 0): bool {}

    public function has(string $key): bool {}

    public function delete(string $key): bool {}

    /**
     * @param array<array-key, int|string> $keys
     */
    public function deleteMultiple(array $keys): bool {}

    /**
     * Removes all entries, however many. Their memory comes back as the store needs it; until then it counts as
     * used, and VolatileCache::info() counts the entries.
     */
    public function clear(): bool {}

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

    /**
     * What was computed when the pool is cleared meanwhile is returned, but not kept.
     *
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
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

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>|false
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
 * The sessions of session.save_handler = larder, for tools. All methods but info() are about those of the
 * session.save_path in force, or of the $path that is given: sites with another one have sessions of their own.
 * @strict-properties
 */
final class Sessions
{
    private function __construct() {}

    /** The store with the sessions of all save paths. */
    public static function info(): StaticCacheInfo {}

    /** Live sessions. Walks the whole store. */
    public static function count(): int {}

    /**
     * Ends a session; true when there was one. Waits, as session_start() does, for a request that has it. What this
     * request writes to it afterwards goes nowhere.
     * @throws StaticCacheException another request has it for longer than larder.session_lock_wait
     */
    public static function destroy(string $id, ?string $path = null): bool {}

    /**
     * The text of a session, for applications that keep theirs without session_start(); null: there is none. Takes
     * no lock and waits for nobody, and nor does write().
     * @throws StaticCacheException the store is off
     */
    public static function read(string $id, ?string $path = null): ?string {}

    /**
     * Stores a session for so many seconds from now on (0: no limit). When this throws, what was stored of it is still there.
     * @throws StaticCacheException the store is full or off, or the text is longer than larder.session_max_size
     */
    public static function write(string $id, string $data, int|float $ttl, ?string $path = null): void {}

    /**
     * The ids of live sessions, in no order. Walks the whole store.
     * @return list<string>
     */
    public static function ids(): array {}
}

/**
 * The files that file_get_contents() has from shared memory, with larder.file_cache = 1.
 * @strict-properties
 */
final class FileCache
{
    private function __construct() {}

    /**
     * Forgets a file, for the user of this process; true when it was there. For files that are not looked at each
     * time (larder.file_cache_revalidate).
     */
    public static function invalidate(string $path): bool {}

    /** Walks the whole volatile store. */
    public static function info(): FileCacheInfo {}
}

/**
 * Uses are those of all processes; they begin anew when the volatile store is cleared, or evicts them.
 * @strict-properties
 */
final class FileCacheInfo
{
    private function __construct() {}

    /** Whether larder.file_cache is on and the volatile store can be used. */
    public readonly bool $enabled;
    /** Files kept, of all users. */
    public readonly int $entry_count;
    /** Bytes of their content. */
    public readonly int $bytes;
    public readonly int $hits;
    /** Files that were read to be kept. What cannot be kept is not counted. */
    public readonly int $misses;
    /** Looks at a file that was kept. */
    public readonly int $revalidations;
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
 *
 * @template T
 * @param callable(): T $callback
 * @return T
 */
function scope(callable $callback): mixed {}

/**
 * A named queue. Delivery is at least once: a message that was pushed stays until it was acknowledged, deleted or
 * has expired; one that was acknowledged is never seen again.
 */
final class Queue
{
    private function __construct() {}

    /**
     * The queue of this name (1 to 200 bytes), made where there is none. $capacity is the most messages it takes
     * from now on; 0 changes nothing, and is no limit but memory for a new one. Throws a StaticCacheException where
     * queues are off.
     */
    public static function open(string $name, int $capacity = 0): Queue {}

    /**
     * The names of all queues. Empty where queues are off.
     * @return list<string>
     */
    public static function names(): array {}

    public function name(): string {}

    /**
     * The id of the message, or null when there is no room: also after $wait, and at once when that is 0. $delay:
     * nobody gets it before. Higher $priority (32 bits) goes first. $ttl: dropped when it was not acknowledged by
     * then, also when it was popped before and came back, but not while it is reserved; 0: never.
     */
    public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string {}

    /**
     * Push all of them in order. The ids; fewer than bodies when there is no room for more. Keys are kept.
     * @param array<array-key, mixed> $bodies
     * @return array<array-key, string|null>
     */
    public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array {}

    /**
     * Reserve the next message; null when there is none within $timeout, or when a signal came. It is this process's
     * until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). When the object goes
     * without any of that, or the process ends or dies, the message is ready again at once.
     */
    public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message {}

    /**
     * As pop(), and then at most so many messages that are ready.
     * @return list<Message>
     */
    public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array {}

    /**
     * Look without reserving: the message with this id in whatever state, or the one that would be popped next.
     * @throws StaticCacheException a class of the body is gone or has changed
     */
    public function peek(?string $id = null): ?Message {}

    /**
     * All messages, or so many, in whatever state and no order, without reserving them.
     * @throws StaticCacheException as peek(), whichever of them it is
     * @return list<Message>
     */
    public function list(int $limit = 0): array {}

    /** Remove a message; false when there is none of this id, or another process has reserved it. */
    public function delete(string $id): bool {}

    /** Make at most so many buried messages ready, the oldest first. How many. */
    public function kick(int $count = PHP_INT_MAX): int {}

    /**
     * Remove all messages that nobody has reserved; with $reserved those of workers, too, whose ack(), release() and
     * bury() then answer false. How many.
     */
    public function clear(bool $reserved = false): int {}

    public function info(): QueueInfo {}
}

/**
 * A message. What it does to its queue answers false when it is not, or no longer, reserved by this object:
 * never popped, its time to run was over, or it was acknowledged, released or buried before.
 * False, too, while whoever has the queue's lock is stopped: it stays reserved, and may be tried again.
 */
final class Message
{
    private function __construct() {}

    public readonly mixed $body;
    public readonly string $id;
    /** How often it was popped, this time included. */
    public readonly int $attempts;
    public readonly int $priority;
    /** "ready", "reserved", "delayed" or "buried", when it was looked at. */
    public readonly string $state;

    /** It is done: gone for good. */
    public function ack(): bool {}

    /** Ready again, after $delay. */
    public function release(int|float $delay = 0): bool {}

    /** Put it aside until kick(). */
    public function bury(): bool {}

    /** Its time to run begins anew: that of pop(), or, if given, another one (0: no limit). */
    public function touch(int|float|null $timeToRun = null): bool {}

    /** Whether this object still has to acknowledge, release or bury it. */
    public function isReserved(): bool {}
}

/**
 * The state of a queue.
 */
final class QueueInfo
{
    private function __construct() {}

    /** Messages now. */
    public readonly int $ready;
    public readonly int $reserved;
    public readonly int $delayed;
    public readonly int $buried;
    /** Of shared memory that they take. */
    public readonly int $bytes;
    /** Most messages; 0: no limit but memory. */
    public readonly int $capacity;
    /** So far. */
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
    /** How often a push woke somebody. */
    public readonly int $wakeups;
}

/**
 * Looks at a store from outside: for the command `larder`, its dashboard and metrics. Looking makes no store, counts
 * no use and holds up nobody.
 */
final class Inspector
{
    private function __construct() {}

    /**
     * A store of this very process: "volatile", "pinned", "immutable", "apcu", "session" or "queue" (which has no entries:
     * Larder\Queue tells of it).
     * @throws StaticCacheException it is off; the message says why
     */
    public static function own(string $store): Inspector {}

    /**
     * The store in a file that exists, of whatever size, kind and PHP. It has to belong to the user who asks, and open_basedir
     * has to allow the path.
     * @throws StaticCacheException there is none, or it cannot be used; the message says why
     */
    public static function open(string $path): Inspector {}

    /**
     * The path of a named store of this user, as larder.path and larder.scope would make it, whether it is there or not.
     * @throws StaticCacheException the scope is none, or open_basedir does not allow the path
     */
    public static function path(string $store, string $scope, string $folder = "/dev/shm"): string {}

    /**
     * Sizes in bytes, times in seconds, counts since the store was made:
     * name, path ("": anonymous), policy ("volatile", "pinned", "immutable", "session", "queue"), abi (whose values
     * they are, such as "php20220829,0,0,8,codec7"), readable (this PHP reads them), fence (reads cost
         * more, because membarrier was denied when it was made), size,
     * used, claimed, retired, held, entries, entry_limit, value_limit, hits, misses, inserts, replaces, deletes,
     * evicted, evicted_age, expired, ghost_hits, refused, refusal_causes (by cause),
     * copies, deaths, recoveries, busy, threads, thread_limit, resident_graphs, resident_bytes (of this worker)
     * and failures (of this process's openings).
     * @return array<string, mixed>
     */
    public function stats(): array {}

    /**
     * Entries whose key begins with $prefix, in the order asked for: "" (none), "size", "uses", "age", "ttl" (the largest first;
     * of ttl the soonest) or "key". At most $limit, 0: all. Each has: key, pool (null: none), type, size and bytes (of
     * the value; with key and header), age (seconds; null: an int does not know), ttl (seconds left; null: no limit),
     * uses (0 to 3: how often since eviction looked at it last), version.
     *
     * Of sessions, which may be of several sites, no id is told, as whoever knows it is the visitor: pool is the
     * session.save_path, key a short hash of both, and a prefix is compared with the save path and a NUL after it. A
     * site asks for the ids of its own sessions with Larder\Sessions::ids().
     * @return list<array<string, mixed>>
     */
    public function entries(string $prefix = "", string $order = "", int $limit = 0, ?string $pool = null): array {}

    /**
     * The keys of entries(), in no order: for many of them. $named: one of a Larder\Pool has the pool and a slash before it.
     * @return list<string>
     */
    public function keys(string $prefix = "", int $limit = 0, ?string $pool = null, bool $named = false): array {}

    /**
     * How many entries there are, and their bytes, by pool; those in none under "".
     * @return array<string, array{entries: int, bytes: int}>
     */
    public function totals(string $prefix = ""): array {}

    /**
     * The value of an entry; $found tells whether there is one.
     * @param bool $found
     * @throws StaticCacheException the values are of another PHP, or not of PHP, or sessions
     */
    public function value(string $key, &$found = null): mixed {}

    /**
     * Of a session $key is what entries() says.
     * @throws StaticCacheException a request has the session
     */
    public function delete(string $key): bool {}

    /** Removes all entries, or those in no pool whose key begins with $prefix (one after the other). How many there were. */
    public function clear(string $prefix = ""): int {}

    /**
     * Checks every invariant.
     * @return list<string> what is wrong
     */
    public function fsck(): array {}

    /** @return list<array{thread: int, hits: int, misses: int, copies: int, held: int}> who uses the store */
    public function threads(): array {}
}
