<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a pool. Each process counts its hits, misses and stores, and adds them when it no longer uses the pool, at the latest
 * when the request ends. The counts of a killed process are lost. They start at 0 again after the pool was evicted.
 * @strict-properties
 */
final class PoolInfo
{
    public readonly string $name;
    public readonly int $entry_count;
    /** Bytes of keys and values. */
    public readonly int $used_memory;
    public readonly int $hits;
    public readonly int $misses;
    /** Entries written. */
    public readonly int $stores;

    private function __construct() {}
}
