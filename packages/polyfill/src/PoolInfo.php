<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a pool. Each process counts for itself, and adds its counts to the pool's when its request ends, or earlier. The counts of a
 * killed process are lost. Eviction of the pool resets them.
 */
final class PoolInfo
{
    public readonly string $name;
    public readonly int $entry_count;
    /** Bytes of keys and values. */
    public readonly int $used_memory;
    public readonly int $hits;
    public readonly int $misses;
    /** Entries that were written. */
    public readonly int $stores;

    private function __construct() {}
}
