<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of the file cache. The polyfill has no file cache: $enabled is false, and all numbers are 0.
 * @strict-properties
 */
final class FileCacheInfo
{
    /** True if larder.file_cache is on and the volatile store can be used. */
    public readonly bool $enabled;
    /** Number of cached files, of all users. */
    public readonly int $entry_count;
    /** Total size in bytes of the cached files. */
    public readonly int $bytes;
    public readonly int $hits;
    /** The number of files that were read and then cached. */
    public readonly int $misses;
    /** How often a cached file was checked for changes. */
    public readonly int $revalidations;

    private function __construct() {}
}
