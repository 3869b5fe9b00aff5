<?php

/**
 * The API of APCu 5.1.24 on a store of Larder's own. apcu_arginfo.h is made from this file (`make php-arginfo`).
 *
 * As in APCu, hardly anything throws: a call that fails returns false. A key is any string of up to 65535 bytes (65534 if it begins with a
 * NUL), even an empty one. A longer key never exists and cannot be stored. A time to live is in whole seconds. 0 means for ever, and a
 * negative one has expired already. Objects are restored as described in larder.stub.php.
 *
 * Larder keeps neither times nor hits per entry: an entry reports them as 0. Its ttl is the rest of the time to live, rounded up to
 * seconds. When memory runs out, Larder evicts single entries that are not in use. Therefore apc.ttl, apc.gc_ttl, apc.entries_hint,
 * apc.slam_defense and other directives not named here are accepted without effect. Messages are those of APCu; its fatal errors are an
 * Error.
 *
 * - apc.enabled, apc.enable_cli: 0 switches this API off (in the CLI). The default follows larder.enable and larder.enable_cli, which
 *   switch all of Larder off.
 * - apc.shm_size: the size of the store. A number below 1M without a suffix means megabytes. A size below 1M or above 1024G gives a
 *   message at start-up and means 1M or 1024G.
 * - apc.serializer: with php or igbinary, that serializer stores arrays and objects, in less memory, and each fetch rebuilds them. Not
 *   set, or "default": they are read in place.
 * - apc.preload_path: a folder. At the first use of the store, the serialized value in each file NAME.data becomes the entry NAME,
 *   unless that exists. The error log names files with other content.
 *
 * @generate-class-entries
 */

/** @var int */
const APC_LIST_ACTIVE = 1;
/**
 * The list is always empty, because a deleted entry is gone, even while a request uses its value.
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
 * Return the state of the cache; unless $limited, also the list of entries. num_slots counts words of the index, expunges counts evicted
 * entries, and start_time is when this server started. deleted_list and slot_distribution are empty.
 */
function apcu_cache_info(bool $limited = false): array|false {}

/** Return hits, access_time, mtime, creation_time, deletion_time, ttl and refs of an entry. All of them except ttl are 0. */
function apcu_key_info(string $key): ?array {}

/** Return num_seg, seg_size and avail_mem; unless $limited, also block_lists, in which all free memory is one block. */
function apcu_sma_info(bool $limited = false): array|false {}

/** True if entries can be stored in this process. */
function apcu_enabled(): bool {}

/**
 * Store a value, or all values of an array of key => value. Returns true. For an array it returns an array: each key that could not be
 * stored, with the value -1.
 * @param array|string $key
 */
function apcu_store($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * Store like apcu_store(), but only keys without an entry.
 * @param array|string $key
 */
function apcu_add($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * Add to an int. A missing entry becomes $step, with $ttl. A sum that is too large for an int wraps around.
 * @param bool $success
 */
function apcu_inc(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** @param bool $success */
function apcu_dec(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** Replace the int $old by the int $new, atomically. */
function apcu_cas(string $key, int $old, int $new): bool {}

/**
 * Return a value; false if there is none. For an array of keys, return the existing ones with their values, and set $success to true.
 * @param array|string $key
 * @param bool $success
 */
function apcu_fetch($key, &$success = null): mixed {}

/**
 * True if the entry exists. For an array of keys, return the existing ones, each with the value true.
 * @param array|string $key
 */
function apcu_exists($key): array|bool {}

/**
 * Delete an entry. For an array of keys, return a list of the keys that did not exist.
 * @param array|string|APCUIterator $key
 */
function apcu_delete($key): array|bool {}

/**
 * Return the entry. If there is none, store and return the result of $callback, which gets the key. If $callback has stored an entry for
 * the key itself, that one stays. One process computes, and others that need the same key wait for it, up to 10 seconds. All other calls
 * work meanwhile, even inside $callback. If the cache is off, $callback is called each time.
 */
function apcu_entry(string $key, callable $callback, int $ttl = 0): mixed {}

/**
 * Iterates over the entries, without a lock. An entry that exists during the whole iteration occurs once. Each step returns an array of
 * the parts that $format selects.
 * @not-serializable
 */
class APCUIterator implements Iterator
{
    /**
     * @param array|string|null $search a regular expression, or a list of keys
     * @param int $chunk_size checked, but without effect
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
