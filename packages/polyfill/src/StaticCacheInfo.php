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

    private function __construct() {}
}
