<?php

/** @generate-class-entries */

namespace Larder
{
    /**
     * Files that file_get_contents() returns from shared memory if larder.file_cache = 1.
     * @strict-properties
     */
    final class FileCache
    {
        private function __construct() {}

        /**
         * Remove a file from this user's cache. Returns true if it was cached. Call this after changing a file, if reads do not check files
         * (larder.file_cache_revalidate).
         */
        public static function invalidate(string $path): bool {}

        /** Return the state of the file cache. Reads the whole volatile store. */
        public static function info(): FileCacheInfo {}
    }

    /**
     * The state of the file cache. All processes share the counts. The counts return to 0 when the store is cleared, or when it evicts the
     * counts.
     * @strict-properties
     */
    final class FileCacheInfo
    {
        private function __construct() {}

        /** True if larder.file_cache is on and the volatile store can be used. */
        public readonly bool $enabled;
        /** Number of cached files, of all users. */
        public readonly int $entry_count;
        /** Total size in bytes of the cached files. */
        public readonly int $bytes;
        public readonly int $hits;
        /** Files that were read and then cached. */
        public readonly int $misses;
        /** How often a cached file was checked for changes. */
        public readonly int $revalidations;
    }
}
