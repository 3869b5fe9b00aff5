<?php

/** @generate-class-entries */

namespace Larder
{
    /**
     * The sessions of session.save_handler = larder, for tools. All methods except info() use the sessions of the current
     * session.save_path, or of $path: sites with different paths have separate sessions.
     * @strict-properties
     */
    final class Sessions
    {
        private function __construct() {}

        /** Return the state of the store, which has the sessions of all save paths. */
        public static function info(): StaticCacheInfo {}

        /** Count the live sessions. Reads the whole store. */
        public static function count(): int {}

        /**
         * Destroy a session. Returns true if there was one. While another request uses it, this waits like session_start(). If the request that
         * calls destroy() writes to the session later, the data is dropped.
         * @throws StaticCacheException another request uses the session for longer than larder.session_lock_wait
         */
        public static function destroy(string $id, ?string $path = null): bool {}

        /**
         * Return the text of a session, or null if there is none. For applications that do not use session_start(). Neither read() nor
         * write() takes a lock or waits.
         * @throws StaticCacheException the store is off, or the session is damaged. A damaged session ends: the next call returns null
         */
        public static function read(string $id, ?string $path = null): ?string {}

        /**
         * Store a session for $ttl seconds (0: no limit). If this throws, the earlier text stays.
         * @throws StaticCacheException the store is full or off, or the text is longer than larder.session_max_size
         */
        public static function write(string $id, string $data, int|float $ttl, ?string $path = null): void {}

        /** Return the ids of live sessions, in no order. Reads the whole store. */
        public static function ids(): array {}
    }
}
