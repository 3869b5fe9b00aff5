<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a cache. The first ten properties are those of the RFC.
 * @strict-properties
 */
final class StaticCacheInfo
{
    /** True if the settings switch this cache on. */
    public readonly bool $enabled;
    /** True if this process can use the cache. */
    public readonly bool $available;
    public readonly bool $startup_failed;
    public readonly bool $backend_initialized;
    /** The size of the store in bytes. */
    public readonly int $configured_memory;
    /** Bytes of the pages that the store has used. No page is given back to the system. */
    public readonly int $shared_memory;
    public readonly int $entry_count;
    public readonly int $segment_count;
    /** "anonymous", or the path of the store's file. */
    public readonly string $shared_model;
    public readonly ?string $failure_reason;

    /** Bytes of live entries. */
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
    /** Writes that were undone because their process died during the write. */
    public readonly int $recoveries;
    /** Processes and threads that died without leaving the store, while others used it. */
    public readonly int $deaths;
    /**
     * The number of refusals for each cause: full, scattered (there is room, but not in one piece), index, file_system, size, busy, slot,
     * holds and system. Causes that never occurred are left out.
     *
     * @var array<string, int>
     */
    public readonly array $refusal_causes;

    private function __construct() {}
}
