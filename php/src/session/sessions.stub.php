<?php

/** @generate-class-entries */

namespace Larder
{
    /**
     * The sessions of session.save_handler = larder, for tools. All methods but info() are about those of the
     * session.save_path in force, or of the $path that is given: sites with another one have sessions of their own.
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
         * Ends a session; true when there was one. Waits, as session_start() does, for a request that has it. What this
         * request writes to it afterwards goes nowhere.
         * @throws StaticCacheException another request has it for longer than larder.session_lock_wait
         */
        public static function destroy(string $id, ?string $path = null): bool {}

        /**
         * The text of a session, for applications that keep theirs without session_start(); null: there is none. Takes
         * no lock and waits for nobody, and nor does write().
         * @throws StaticCacheException the store is off
         */
        public static function read(string $id, ?string $path = null): ?string {}

        /**
         * Stores a session for so many seconds from now on (0: no limit). When this throws, what was stored of it is still there.
         * @throws StaticCacheException the store is full or off, or the text is longer than larder.session_max_size
         */
        public static function write(string $id, string $data, int|float $ttl, ?string $path = null): void {}

        /** The ids of live sessions, in no order. Walks the whole store. */
        public static function ids(): array {}
    }
}
