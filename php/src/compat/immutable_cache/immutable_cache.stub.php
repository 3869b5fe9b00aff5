<?php

/**
 * The API of the PECL extension immutable_cache 6.1, on a store of its own; larder.compat=immutable_cache registers it.
 *
 * An entry stays as long as the store: nothing is overwritten, removed or evicted. Strings and arrays are fetched in place in shared
 * memory. If they are added again, alone or inside other values, they are not stored twice. A value of at least 256 bytes, without objects
 * and references, is not stored twice either if it equals an earlier one. Objects need no serializer: each fetch builds new ones.
 *
 * Differences from the original:
 * - A full store gives a warning that says how many bytes are missing and which directive to raise. A value larger than half of the
 *   store, or a key of more than 65535 bytes (65534 if it begins with a NUL), returns false with a warning too. As in the original, a
 *   value that PHP's serializer refuses throws its Exception. A resource, alone or in an array, returns false with a warning; the
 *   other elements of an array argument are still added. The empty key is allowed.
 * - Hits, access times and creation times are not kept for each entry and are 0.
 * - On the command line it is on if Larder is, unless immutable_cache.enable_cli is 0.
 *
 * Directives:
 * - immutable_cache.enabled (1) and .enable_cli (as larder.enable_cli).
 * - .shm_size (256M): committed as it is used. larder.immutable_size has precedence.
 * - .preload and .preload_path: folders. Each KEY.data in them is the serialized value of an entry. They are loaded before a server's
 *   first request, on the command line at the first use. The user that the process then runs as must be able to read them.
 * - .serializer: php or igbinary store arrays and objects in less memory, and each fetch rebuilds them. Default: values are read in
 *   place.
 * - Accepted without effect: .protect_memory (always on), .entries_hint (see larder.entries_hint), .shm_segments, .mmap_file_mask,
 *   .coredump_unmap.
 *
 * @generate-class-entries
 */

/** True if the store can be used in this process. */
function immutable_cache_enabled(): bool {}

/**
 * Add an entry. Returns false if it exists or there is no room. An array adds each of its elements; each element that was not added is
 * returned as KEY => -1.
 *
 * @param array|string $key
 */
function immutable_cache_add($key, mixed $value = UNKNOWN): array|bool {}

/**
 * Return the value of an entry, or false. An array of keys returns an array of the values found.
 *
 * @param array|string $key
 * @param bool $success
 */
function immutable_cache_fetch($key, &$success = null): mixed {}

/**
 * True if the entry exists. An array of keys returns KEY => true for each existing entry.
 *
 * @param array|string $key
 */
function immutable_cache_exists($key): array|bool {}

/** Return the state of the store and, unless $limited, of each entry. */
function immutable_cache_cache_info(bool $limited = false): array|false {}

/** Return hits, access_time and creation_time, all 0, or null if there is no entry. */
function immutable_cache_key_info(string $key): ?array {}

/** Return the memory use of the store. The free memory counts as one block. */
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
     * $search is a PCRE pattern for keys, or an array of keys; null or '' selects all. $format (IMMUTABLE_CACHE_ITER_*) selects the parts
     * that current() returns. $chunk_size has no effect: nothing is locked while a chunk is read. $list: only IMMUTABLE_CACHE_LIST_ACTIVE.
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

    /** 0: hits of entries are not kept. */
    public function getTotalHits(): int {}

    /** Bytes of the values that match. */
    public function getTotalSize(): int {}

    /** The number of entries that match. */
    public function getTotalCount(): int {}
}
