<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a pool. Each process counts its hits, misses and stores. It adds them to the counts of the pool when it no longer uses
 * the pool, at the latest at the end of the request. The counts of a killed process are lost. If the pool is evicted, the counts begin
 * at 0 again.
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
