<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a cache. The first ten properties are those of the RFC.
 * @strict-properties
 */
final class StaticCacheInfo
{
    /** The settings ask for this cache. */
    public readonly bool $enabled;
    /** The cache can be used in this process. */
    public readonly bool $available;
    public readonly bool $startup_failed;
    public readonly bool $backend_initialized;
    /** Bytes. */
    public readonly int $configured_memory;
    /** Bytes of pages that have been used. A page is not given back; later values use it. */
    public readonly int $shared_memory;
    public readonly int $entry_count;
    public readonly int $segment_count;
    /** "anonymous", or the path of the store's file. */
    public readonly string $shared_model;
    public readonly ?string $failure_reason;

    /** Bytes of live entries. */
    public readonly int $used_memory;
    /** The largest number of entries that the index can hold. */
    public readonly int $entry_limit;
    /** Bytes of the largest value. */
    public readonly int $value_limit;
    /** Look-ups that found an entry. A call of remember() is counted once, as a miss if it computes or waits. */
    public readonly int $hits;
    public readonly int $misses;
    public readonly int $evictions;
    public readonly int $expirations;
    /**
     * Writes that returned false, because there was no room, the value was too large, or the store was busy. Writes that threw do not
     * count, nor does add() if the entry exists.
     */
    public readonly int $refusals;
    /** Reads that returned a private copy, because the process held too many values. */
    public readonly int $copies;
    /** Number of writes that were undone because the process died inside them. */
    public readonly int $recoveries;
    /** Processes and threads that died without leaving the store. Each counts once. */
    public readonly int $deaths;
    /**
     * The refusals by cause. Causes that never occurred are left out. The causes are full, scattered (there is room, but not in one
     * piece), index, file_system, size, busy, slot, holds and system.
     * @var array<string, int>
     */
    public readonly array $refusal_causes;

    private function __construct() {}
}
