<?php

/** @generate-class-entries */

namespace Larder
{
    /**
     * The files that file_get_contents() has from shared memory, with larder.file_cache = 1.
     * @strict-properties
     */
    final class FileCache
    {
        private function __construct() {}

        /**
         * Forgets a file, for the user of this process; true when it was there. For files that are not looked at each
         * time (larder.file_cache_revalidate).
         */
        public static function invalidate(string $path): bool {}

        /** Walks the whole volatile store. */
        public static function info(): FileCacheInfo {}
    }

    /**
     * Uses are those of all processes; they begin anew when the volatile store is cleared, or evicts them.
     * @strict-properties
     */
    final class FileCacheInfo
    {
        private function __construct() {}

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
    }
}
