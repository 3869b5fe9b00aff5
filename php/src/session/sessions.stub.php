<?php

/** @generate-class-entries */

namespace Larder
{
    /**
     * The sessions of session.save_handler = larder, for tools. Sites with different save paths have separate sessions: all methods except
     * info() use the sessions of $path, or of the current session.save_path.
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
         * Destroy a session. Returns true if there was one. While another request uses the session, this call waits as session_start() does. If
         * the calling request writes data to the session later, this data is dropped.
         * @throws StaticCacheException if another request uses the session for longer than larder.session_lock_wait
         */
        public static function destroy(string $id, ?string $path = null): bool {}

        /**
         * Return the text of a session, or null if there is none. read() and write() are for applications that do not use session_start().
         * They take no lock and do not wait.
         * @throws StaticCacheException if the store is off, or the session is damaged. A damaged session is destroyed, so the next call
         * returns null
         */
        public static function read(string $id, ?string $path = null): ?string {}

        /**
         * Store a session for $ttl seconds, or without limit if $ttl is 0. If this method throws, the earlier text remains.
         * @throws StaticCacheException if the store is full or off, or the text is longer than larder.session_max_size
         */
        public static function write(string $id, string $data, int|float $ttl, ?string $path = null): void {}

        /**
         * Return the ids of live sessions, in no particular order. Reads the whole store.
         *
         * @return list<string>
         */
        public static function ids(): array {}
    }
}
