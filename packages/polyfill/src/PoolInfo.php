<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a pool. Each process adds its own counts when its request ends, or earlier. A killed process loses its own counts; an
 * evicted pool loses all.
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
