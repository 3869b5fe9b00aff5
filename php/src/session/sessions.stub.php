<?php

/** @generate-class-entries */

namespace Larder
{
    /**
     * The sessions of session.save_handler = larder, for tools. All methods but info() are about those of the
     * session.save_path in force: sites with another one have sessions of their own.
     * @strict-properties
     */
    final class Sessions
    {
        private function __construct() {}

        /** The store with the sessions of all save paths. */
        public static function info(): StaticCacheInfo {}

        /** Live sessions. Walks the whole store. */
        public static function count(): int {}

        /**
         * Ends a session; true when there was one. Waits, as session_start() does, for a request that has it: that one
         * would write it once more.
         * @throws StaticCacheException another request has it for longer than larder.session_lock_wait
         */
        public static function destroy(string $id): bool {}

        /** The ids of live sessions, in no order. Walks the whole store. */
        public static function ids(): array {}
    }
}
