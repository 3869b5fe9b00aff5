<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a pool. Each process first counts its own calls. The process adds its counts to the pool's counts when its request ends, or
 * earlier. If a process is killed, its own counts are lost. If the pool is evicted, all counts are lost.
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
