<?php

declare(strict_types=1);

namespace Larder;

/**
 * Uses are those of all processes; they begin anew when the volatile store is cleared, or evicts them.
 * @strict-properties
 */
final class FileCacheInfo
{
    /** Whether larder.file_cache is on and the volatile store can be used. */
    public readonly bool $enabled;
    /** Files kept, of all users. */
    public readonly int $entry_count;
    /** Bytes of their content. */
    public readonly int $bytes;
    public readonly int $hits;
    /** Files that were read to be kept. What cannot be kept is not counted. */
    public readonly int $misses;
    /** Looks at a file that was kept. */
    public readonly int $revalidations;

    private function __construct() {}
}
