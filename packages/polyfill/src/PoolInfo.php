<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a pool. Uses are counted by each process and added to the pool's counts when it has no use for the
 * pool any more, at the latest when the request ends: those of a process that is killed are lost. They begin anew
 * when the pool was evicted.
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
