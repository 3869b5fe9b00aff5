<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of the file cache. The counts are those of all processes. They return to 0 when the volatile store is cleared, or
 * evicts them.
 * @strict-properties
 */
final class FileCacheInfo
{
    /** True if larder.file_cache is on and the volatile store can be used. */
    public readonly bool $enabled;
    /** Number of cached files, of all users. */
    public readonly int $entry_count;
    /** Bytes of their content. */
    public readonly int $bytes;
    public readonly int $hits;
    /** Files that were read and then cached. Files that cannot be cached do not count. */
    public readonly int $misses;
    /** Number of checks whether a cached file has changed. */
    public readonly int $revalidations;

    private function __construct() {}
}
