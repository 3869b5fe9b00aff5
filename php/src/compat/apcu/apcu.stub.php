<?php

/**
 * The API of APCu 5.1.24, on a store of its own.
 *
 * - As in APCu, hardly any call throws: a call that fails returns false. Where APCu raises a fatal error, Larder throws an Error.
 * - A key is any string of up to 65535 bytes (65534 if it begins with a NUL), even an empty one. A longer key never exists and cannot be stored.
 * - A time to live is a number of whole seconds: 0 means for ever; an entry with a negative time expires immediately.
 * - Objects are restored as described in larder.stub.php.
 * - Functions that report hits of an entry, or the times of its creation, changes and reads, return 0. The reported ttl is the remaining time,
 *   rounded up.
 * - When memory runs out, Larder evicts single entries that are not in use. So other directives, such as apc.ttl and apc.slam_defense, have no
 *   effect.
 *
 * Directives:
 * - apc.enabled, apc.enable_cli: 0 switches this API off, or off in the CLI. The defaults are larder.enable and larder.enable_cli.
 * - apc.shm_size: the size of the store. A number below 1M without a suffix is in megabytes. A size below 1M or above 1024G gives a message at
 *   start-up, and 1M or 1024G is used.
 * - apc.serializer: php or igbinary stores arrays and objects in less memory, but each fetch rebuilds them. Otherwise they are read in place.
 * - apc.preload_path: a folder. At the first use of the store, the serialized value in each file NAME.data becomes the entry NAME, if there is none
 *   yet. The error log names files with other content.
 *
 * @generate-class-entries
 */

/** @var int */
const APC_LIST_ACTIVE = 1;
/**
 * The list of deleted entries, which is always empty: a deleted entry is gone immediately.
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
 * Return the state of the cache. Unless $limited is true, the result also has the list of entries. The element "num_slots" is the number of words of
 * the index, "expunges" the number of evicted entries, and "start_time" the time when this server started. The elements "deleted_list" and
 * "slot_distribution" are empty.
 */
function apcu_cache_info(bool $limited = false): array|false {}

/**
 * Return an array with the "ttl" of an entry, or null if there is no entry. Its elements "hits", "access_time", "mtime", "creation_time",
 * "deletion_time" and "refs" are always 0.
 */
function apcu_key_info(string $key): ?array {}

/**
 * Return an array with "num_seg", "seg_size" and "avail_mem". Unless $limited is true, the array also has "block_lists", in which all free memory is
 * one block.
 */
function apcu_sma_info(bool $limited = false): array|false {}

/** True if entries can be stored in this process. */
function apcu_enabled(): bool {}

/**
 * Store a value under a string $key. Returns true on success. If $key is an array, store its values under their keys, and return an array with the
 * value -1 for each key that failed.
 * @param array|string $key
 */
function apcu_store($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * Store like apcu_store(), but only under keys that have no entry.
 * @param array|string $key
 */
function apcu_add($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * Add $step to the int under $key. If there is no entry, store $step with $ttl. A sum that is too large wraps around.
 * @param bool $success
 */
function apcu_inc(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** @param bool $success */
function apcu_dec(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** If the entry is the int $old, replace it by $new, atomically. Returns true if it was replaced. */
function apcu_cas(string $key, int $old, int $new): bool {}

/**
 * Return the value of an entry, or false if there is none. If $key is an array of keys, return an array with the value of each key that
 * exists, and set $success to true.
 * @param array|string $key
 * @param bool $success
 */
function apcu_fetch($key, &$success = null): mixed {}

/**
 * Return true if the entry exists. If $key is an array of keys, return an array with the value true for each key that exists.
 * @param array|string $key
 */
function apcu_exists($key): array|bool {}

/**
 * Delete an entry. Returns true if it existed. If $key is an array of keys, return a list of the keys that did not exist.
 * @param array|string|APCUIterator $key
 */
function apcu_delete($key): array|bool {}

/**
 * Return the value of an entry. If there is none, call $callback with the key, store the result, and return it. If $callback has stored an entry
 * under this key, that entry stays. One process computes the value; others wait for up to 10 seconds. If the cache is off, $callback is called each
 * time.
 */
function apcu_entry(string $key, callable $callback, int $ttl = 0): mixed {}

/**
 * Iterates over the entries. An entry that exists during the whole iteration occurs once. $format selects the parts that current() returns.
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

    /** Always 0: Larder does not count the hits of each entry. */
    public function getTotalHits(): int {}

    /** Bytes. */
    public function getTotalSize(): int {}

    public function getTotalCount(): int {}
}
