<?php

/**
 * The API of APCu 5.1.24 on a store of Larder's own. apcu_arginfo.h is made from this file (`make php-arginfo`).
 *
 * As in APCu, hardly anything throws: what cannot be done gives false. A key is any string of up to 65535 bytes
 * (65534 where it begins with a NUL), also the empty one; a longer one is never there and cannot be stored. A time to live is in whole seconds; 0 is for ever,
 * and what is stored with a negative one has expired already. Objects come back as described in larder.stub.php.
 *
 * Larder keeps neither times nor hits per entry: they are 0 in what tells about an entry, and a ttl is what is left
 * of it, rounded up to seconds. When memory runs out, single entries that are not in use are evicted, as Larder does:
 * apc.ttl, apc.gc_ttl, apc.entries_hint, apc.slam_defense and the other directives not named here are accepted and have
 * no effect. Messages are APCu's; its fatal errors are an Error.
 *
 * - apc.enabled, apc.enable_cli: 0 switches this API off (in the CLI). By default what larder.enable and
 *   larder.enable_cli say, which switch all of Larder off.
 * - apc.shm_size: the size of the store. A number below 1M without a suffix is in megabytes. What is less than 1M or more
 *   than 1024G is said at start-up, and is 1M or 1024G.
 * - apc.serializer: set to php or igbinary, arrays and objects are stored by that, in less memory, and each fetch rebuilds
 *   them. Not set, or "default": as they lie there.
 * - apc.preload_path: a folder; the serialized value in each file NAME.data becomes the entry NAME when the store is
 *   made, at its first use. It replaces nothing. A file that holds something else is named in the error log.
 *
 * @generate-class-entries
 */

/** @var int */
const APC_LIST_ACTIVE = 1;
/**
 * Nothing: what is deleted is gone, even while somebody uses it.
 * @var int
 */
const APC_LIST_DELETED = 2;

/** @var int */
const APC_ITER_TYPE = 1;
/** @var int */
const APC_ITER_KEY = 2;
/** @var int */
const APC_ITER_VALUE = 4;
/** @var int */
const APC_ITER_NUM_HITS = 8;
/** @var int */
const APC_ITER_MTIME = 16;
/** @var int */
const APC_ITER_CTIME = 32;
/** @var int */
const APC_ITER_DTIME = 64;
/** @var int */
const APC_ITER_ATIME = 128;
/** @var int */
const APC_ITER_REFCOUNT = 256;
/** @var int */
const APC_ITER_MEM_SIZE = 512;
/** @var int */
const APC_ITER_TTL = 1024;
/** @var int */
const APC_ITER_NONE = 0;
/** @var int */
const APC_ITER_ALL = 4294967295;

/** Remove all entries. */
function apcu_clear_cache(): bool {}

/**
 * The state of the cache; with the list of entries unless $limited. num_slots are words of the index, expunges
 * entries that were evicted, start_time is when this server started. deleted_list and slot_distribution are empty.
 */
function apcu_cache_info(bool $limited = false): array|false {}

/** hits, access_time, mtime, creation_time, deletion_time, ttl and refs of an entry: all but ttl are 0. */
function apcu_key_info(string $key): ?array {}

/** num_seg, seg_size and avail_mem; unless $limited also block_lists, with the free memory as one block. */
function apcu_sma_info(bool $limited = false): array|false {}

/** Whether entries can be stored here and now. */
function apcu_enabled(): bool {}

/**
 * Store a value, or each value of an array of key => value. True; for an array, [] or the keys that could not be
 * stored, each with -1.
 * @param array|string $key
 */
function apcu_store($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * The same for keys that have no entry yet.
 * @param array|string $key
 */
function apcu_add($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * Add to an int. Where there is no entry, $step is stored, with $ttl. What is larger than an int wraps around.
 * @param bool $success
 */
function apcu_inc(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** @param bool $success */
function apcu_dec(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** Replace the int $old by the int $new, atomically. */
function apcu_cas(string $key, int $old, int $new): bool {}

/**
 * A value, or false; for an array of keys, those that are there, by key. $success is true for an array.
 * @param array|string $key
 * @param bool $success
 */
function apcu_fetch($key, &$success = null): mixed {}

/**
 * For an array of keys, those that are there, each with true.
 * @param array|string $key
 */
function apcu_exists($key): array|bool {}

/**
 * For an array of keys, a list of those that were not there.
 * @param array|string|APCUIterator $key
 */
function apcu_delete($key): array|bool {}

/**
 * The entry, or what $callback returns for the key, which is stored unless it stored the entry itself. One process
 * computes; others that ask for the same key wait for it, up to 10 seconds. All else goes on meanwhile, also within
 * $callback. If the cache is off, $callback is called each time.
 */
function apcu_entry(string $key, callable $callback, int $ttl = 0): mixed {}

/**
 * Goes through the entries, without a lock: an entry that is there all the time is seen once. Each gives an array of
 * what $format asks for.
 * @not-serializable
 */
class APCUIterator implements Iterator
{
    /**
     * @param array|string|null $search a regular expression, or a list of keys
     * @param int $chunk_size checked, but of no use here
     */
    public function __construct($search = null, int $format = APC_ITER_ALL, int $chunk_size = 0, int $list = APC_LIST_ACTIVE) {}

    public function rewind(): void {}

    public function next(): void {}

    public function valid(): bool {}

    public function key(): string|int {}

    public function current(): mixed {}

    /** 0: hits are not kept per entry. */
    public function getTotalHits(): int {}

    /** Bytes. */
    public function getTotalSize(): int {}

    public function getTotalCount(): int {}
}
