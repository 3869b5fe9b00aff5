<?php

/** @generate-class-entries */

namespace Larder {

    /**
     * Looks at a store from outside: for the command `larder`, its dashboard and metrics. Looking makes no store, counts
     * no use and holds up nobody.
     * @strict-properties
     * @not-serializable
     */
    final class Inspector
    {
        private function __construct() {}

        /**
         * A store of this very process: "volatile", "pinned", "immutable", "apcu", "session" or "queue" (which has no entries:
         * Larder\Queue tells of it).
         * @throws StaticCacheException it is off; the message says why
         */
        public static function own(string $store): Inspector {}

        /**
         * The store in a file that exists, of whatever size, kind and PHP. It has to belong to the user who asks, and open_basedir
         * has to allow the path.
         * @throws StaticCacheException there is none, or it cannot be used; the message says why
         */
        public static function open(string $path): Inspector {}

        /**
         * The path of a named store of this user, as larder.path and larder.scope would make it, whether it is there or not.
         * @throws StaticCacheException the scope is none, or open_basedir does not allow the path
         */
        public static function path(string $store, string $scope, string $folder = "/dev/shm"): string {}

        /**
         * Sizes in bytes, times in seconds, counts since the store was made:
         * name, path ("": anonymous), policy ("volatile", "pinned", "immutable", "session", "queue"), abi (whose values
         * they are, such as "php20220829,0,0,8,codec7"), readable (this PHP reads them), fence (reads cost
         * more, because membarrier was denied when it was made), size,
         * used, claimed, retired, held, entries, entry_limit, value_limit, hits, misses, inserts, replaces, deletes,
         * evicted, evicted_age, expired, ghost_hits, refused, refusal_causes (by cause),
         * copies, deaths, recoveries, busy, threads, thread_limit, resident_graphs, resident_bytes (of this worker)
         * and failures (of this process's openings).
         */
        public function stats(): array {}

        /**
         * Entries whose key begins with $prefix, in the order asked for: "" (none), "size", "uses", "age", "ttl" (the largest first;
         * of ttl the soonest) or "key". At most $limit, 0: all. Each has: key, pool (null: none), type, size and bytes (of
         * the value; with key and header), age (seconds; null: an int does not know), ttl (seconds left; null: no limit),
         * uses (0 to 3: how often since eviction looked at it last), version.
         *
         * Of sessions, which may be of several sites, no id is told, as whoever knows it is the visitor: pool is the
         * session.save_path, key a short hash of both, and a prefix is compared with the save path and a NUL after it. A
         * site asks for the ids of its own sessions with Larder\Sessions::ids().
         */
        public function entries(string $prefix = "", string $order = "", int $limit = 0, ?string $pool = null): array {}

        /**
         * The keys of entries(), in no order: for many of them. $named: one of a Larder\Pool has the pool and a slash before it.
         * @return list<string>
         */
        public function keys(string $prefix = "", int $limit = 0, ?string $pool = null, bool $named = false): array {}

        /**
         * How many entries there are, and their bytes, by pool; those in none under "".
         * @return array<string, array{entries: int, bytes: int}>
         */
        public function totals(string $prefix = ""): array {}

        /**
         * The value of an entry; $found tells whether there is one.
         * @param bool $found
         * @throws StaticCacheException the values are of another PHP, or not of PHP, or sessions
         */
        public function value(string $key, &$found = null): mixed {}

        /**
         * Of a session $key is what entries() says.
         * @throws StaticCacheException a request has the session
         */
        public function delete(string $key): bool {}

        /** Removes all entries, or those in no pool whose key begins with $prefix (one after the other). How many there were. */
        public function clear(string $prefix = ""): int {}

        /**
         * Checks every invariant.
         * @return list<string> what is wrong
         */
        public function fsck(): array {}

        /** @return list<array{thread: int, hits: int, misses: int, copies: int, held: int}> who uses the store */
        public function threads(): array {}
    }
}
