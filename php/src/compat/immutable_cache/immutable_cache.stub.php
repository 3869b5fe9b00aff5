<?php

/**
 * The API of the PECL extension immutable_cache 6.1, on a store of its own; larder.compat=immutable_cache registers it.
 *
 * What is added stays until the store goes: nothing is overwritten, removed or evicted. Strings and arrays are fetched
 * as they lie in shared memory; added again, alone or inside other values, they are not stored a second time, and neither
 * are values of 256 bytes and more, without objects and references, that equal one which was added before. Objects need
 * no serializer: each fetch builds them anew.
 *
 * What differs from the original:
 * - A full store is a warning that says how much is missing and which directive to raise. Also a value larger than half
 *   of the store, and a key of more than 65535 bytes (65534 where it begins with a NUL), are false with a warning.
 * As there, whatever PHP's serializer refuses throws its Exception, and a resource, by itself or in arrays, is false with a
 * warning; other elements of an array argument are added all the same. The empty key is one like others.
 * - Hits, access times and creation times are not kept for each entry and are 0.
 * - It is usable on the command line wherever Larder is, unless immutable_cache.enable_cli is set to 0.
 *
 * Directives: immutable_cache.enabled (1), .enable_cli (as larder.enable_cli), .shm_size (256M, taken as it is used;
 * larder.immutable_size goes first), .preload and .preload_path (folders: each KEY.data in them is the serialized value of
 * an entry; loaded before a server's first request, on the command line at the first use; the user it then runs as must
 * be able to read it), .serializer (php or igbinary: arrays and objects are stored by that, in less memory, and each fetch
 * rebuilds them; default: without a copy). Accepted without effect, because there is nothing to choose:
 * .protect_memory (always so), .entries_hint (larder.entries_hint), .shm_segments, .mmap_file_mask, .coredump_unmap.
 *
 * @generate-class-entries
 */

/** Whether the store can be used here. */
function immutable_cache_enabled(): bool {}

/**
 * Add an entry, unless there is one: then, and when there is no room, false.
 * An array adds each of its elements and gives those that were not added, as KEY => -1.
 *
 * @param array|string $key
 */
function immutable_cache_add($key, mixed $value = UNKNOWN): array|bool {}

/**
 * The value of an entry, or false. An array of keys gives an array of what was found.
 *
 * @param array|string $key
 * @param bool $success
 */
function immutable_cache_fetch($key, &$success = null): mixed {}

/**
 * Whether there is an entry. An array of keys gives KEY => true for those that are there.
 *
 * @param array|string $key
 */
function immutable_cache_exists($key): array|bool {}

/** About the store and, unless $limited, each entry. */
function immutable_cache_cache_info(bool $limited = false): array|false {}

/** hits, access_time and creation_time, all 0, or null when there is no entry. */
function immutable_cache_key_info(string $key): ?array {}

/** About the memory of the store: what is free counts as one block. */
function immutable_cache_sma_info(bool $limited = false): array|false {}

/**
 * Walks over the entries, in no particular order.
 *
 * @strict-properties
 * @not-serializable
 */
final class ImmutableCacheIterator implements Iterator
{
    /**
     * $search: a PCRE pattern for keys, or an array of keys; null or '' is all. $format: IMMUTABLE_CACHE_ITER_*, what
     * current() contains. $chunk_size has no effect: nothing is locked while a chunk is read. $list: only
     * IMMUTABLE_CACHE_LIST_ACTIVE.
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

    /** How many entries match. */
    public function getTotalCount(): int {}
}
