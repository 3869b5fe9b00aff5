<?php

/**
 * The API of the PECL extension immutable_cache 6.1, on a store of its own; larder.compat=immutable_cache registers it.
 *
 * - An entry exists as long as the store: nothing is overwritten, removed or evicted.
 * - Strings and arrays are read in place in shared memory. Objects need no serializer: each fetch builds new ones.
 * - A fetched string or array that is added again, alone or inside another value, is not stored a second time. Nor is an equal value of at least 256
 *   bytes without objects and references.
 *
 * Differences from the original:
 * - If the store is full, a warning says how many bytes are missing and which directive to raise. A value larger than half of the store, and a key of
 *   more than 65535 bytes (65534 if it begins with a NUL), raise a warning and return false.
 * - A resource raises a warning and returns false; the other elements of an array argument are still added. The empty key is allowed.
 * - Hits, access times and creation times of entries are reported as 0.
 * - On the command line, immutable_cache is on if Larder is on, unless immutable_cache.enable_cli is 0.
 *
 * Directives:
 * - immutable_cache.enabled (default 1) and .enable_cli (default: larder.enable_cli).
 * - .shm_size (default 256M): the size of the store, unless larder.immutable_size is set. Memory is committed only when it is needed.
 * - .preload and .preload_path: folders. Each file KEY.data in them is the serialized value of an entry. A server loads the files before its first
 *   request, a program on the command line at the first use of the store. The process must be allowed to read them.
 * - .serializer: php or igbinary stores arrays and objects in less memory, but each fetch rebuilds them. Otherwise they are read in place.
 * - Accepted without effect: .protect_memory (always on), .entries_hint (see larder.entries_hint), .shm_segments, .mmap_file_mask, .coredump_unmap.
 *
 * @generate-class-entries
 */

/** True if the store can be used in this process. */
function immutable_cache_enabled(): bool {}

/**
 * Add an entry. Returns false if the key has an entry, or if there is no room. If $key is an array, add its elements, and return an array
 * with the value -1 for each key that was not added.
 *
 * @param array|string $key
 */
function immutable_cache_add($key, mixed $value = UNKNOWN): array|bool {}

/**
 * Return the value of an entry, or false if there is none. If $key is an array of keys, return an array with the value of each key that
 * exists.
 *
 * @param array|string $key
 * @param bool $success
 */
function immutable_cache_fetch($key, &$success = null): mixed {}

/**
 * Return true if the entry exists. If $key is an array of keys, return an array with the value true for each key that exists.
 *
 * @param array|string $key
 */
function immutable_cache_exists($key): array|bool {}

/** Return the state of the store. Unless $limited is true, the result also has the state of each entry. */
function immutable_cache_cache_info(bool $limited = false): array|false {}

/** Return an array with "hits", "access_time" and "creation_time", all 0. Returns null if there is no entry. */
function immutable_cache_key_info(string $key): ?array {}

/** Return the memory use of the store. All free memory is reported as one block. */
function immutable_cache_sma_info(bool $limited = false): array|false {}

/**
 * Iterates over the entries, in no particular order.
 *
 * @strict-properties
 * @not-serializable
 */
final class ImmutableCacheIterator implements Iterator
{
    /**
     * $search is a PCRE pattern for keys, or an array of keys; null or '' selects all keys. $format (IMMUTABLE_CACHE_ITER_*) selects the parts that
     * current() returns. $chunk_size has no effect. $list must be IMMUTABLE_CACHE_LIST_ACTIVE.
     *
     * @param array|string|null $search
     */
    public function __construct(
        $search = null,
        int $format = IMMUTABLE_CACHE_ITER_ALL,
        int $chunk_size = 0,
        int $list = IMMUTABLE_CACHE_LIST_ACTIVE
    ) {}

    public function rewind(): void {}

    public function next(): void {}

    public function valid(): bool {}

    public function key(): string|int {}

    public function current(): mixed {}

    /** Always 0: the hits of entries are not counted. */
    public function getTotalHits(): int {}

    /** The size of all matching values, in bytes. */
    public function getTotalSize(): int {}

    /** The number of matching entries. */
    public function getTotalCount(): int {}
}
