<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a cache. The first ten properties are those of the RFC.
 * @strict-properties
 */
final class StaticCacheInfo
{
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
    /**
     * Writes that returned false: no room, too large, or busy. Writes that throw, and add() of an existing entry, do not count.
     */
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

    private function __construct() {}
}
