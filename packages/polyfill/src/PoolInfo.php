<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a pool. Each process counts its own hits, misses and stores. When the process stops using the pool, or at the latest at the
 * end of the request, these numbers are added to the counts of the pool. The counts of a killed process are lost. If the pool is evicted,
 * the counts begin at 0 again.
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
