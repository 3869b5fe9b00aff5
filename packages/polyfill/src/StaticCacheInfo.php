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
    /** In the polyfill, equal to $used_memory. */
    public readonly int $shared_memory;
    public readonly int $entry_count;
    public readonly int $segment_count;
    /** "process" (only this process has the store), "anonymous" (its forked children have it, too), or the path of the store's file. */
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
    /** Writes that returned false, because there was no room, or the value was too large. */
    public readonly int $refusals;
    /** Always 0 in the polyfill. */
    public readonly int $copies;
    /** Always 0 in the polyfill. */
    public readonly int $recoveries;
    /** Always 0 in the polyfill. */
    public readonly int $deaths;
    /**
     * The number of refusals for each cause: "full" or "size" (the value is too large). A cause that never occurred is left out.
     *
     * @var array<string, int>
     */
    public readonly array $refusal_causes;

    private function __construct() {}
}
