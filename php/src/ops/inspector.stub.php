<?php

/** @generate-class-entries */

namespace Larder {

    /**
     * Looks at a store from outside, for the command `larder`, its dashboard and its metrics. This never creates a store, does not count as
     * a use of entries, and delays no other process.
     * @strict-properties
     * @not-serializable
     */
    final class Inspector
    {
        private function __construct() {}

        /**
         * Inspect a store of this process: "volatile", "pinned", "immutable", "apcu", "session", or "queue" (which has no entries; see
         * Larder\Queue).
         * @throws StaticCacheException the store is off; the message says why
         */
        public static function own(string $store): Inspector {}

        /**
         * Inspect the store in an existing file. Its size, kind and PHP version may differ from this process's. The file must belong to the
         * calling user, and open_basedir must allow its path.
         * @throws StaticCacheException there is none, or it cannot be used; the message says why
         */
        public static function open(string $path): Inspector {}

        /**
         * Return the path that a named store of this user has, or would have, with this scope and folder (see larder.scope and
         * larder.path). The store need not exist.
         * @throws StaticCacheException the scope is none, or open_basedir does not allow the path
         */
        public static function path(string $store, string $scope, string $folder = "/dev/shm"): string {}

        /**
         * Return sizes in bytes, times in seconds, and counts since the store was created.
         * - The store: name, path ("" if anonymous), policy ("volatile", "pinned", "immutable", "session", "queue"), size,
         *   value_limit, entry_limit, thread_limit.
         * - Its values: abi (the PHP that wrote them, such as "php20220829,0,0,8,codec11"), readable (this PHP can read them), fence
         *   (reads cost more, because membarrier was denied when the store was created).
         * - Memory: used, claimed, retired, held, entries.
         * - Counts: hits, misses, inserts, replaces, deletes, evicted, evicted_age, expired, ghost_hits, refused, refusal_causes (by
         *   cause), deaths, recoveries, busy, threads.
         * - Reads that got a copy: copies, copy_causes (memory: the thread held as many bytes as it may, time: longer than it may,
         *   number: as many values as it may).
         * - Forms (see larder.form): packs (values stored packed), falls (those among them that were ready before), rises (packed
         *   values that became ready again) and unpacks (reads of packed values).
         * - Packed entries: packed_entries (their number), packed_bytes (their memory), packed_ready (that of their values if they
         *   were ready).
         * - Age: uptime (seconds since the store was created).
         * - Of this worker: resident_graphs, resident_bytes and failures (to open the store).
         */
        public function stats(): array {}

        /**
         * Return the entries whose key begins with $prefix, at most $limit (0: all). $order is "" (none), "key", "ttl" (the next to expire
         * first), or "size", "uses" or "age" (the largest first).
         * An entry has key, pool (null: none), type, size (of the value), bytes (with key and header), age (seconds; null for an int), ttl
         * (seconds left; null: no limit) and version. Its form is "ready" or "packed", and ready is the size of its value in the ready form. Its uses, from 0 to 3, say how often it was used since eviction last looked at it.
         *
         * The ids of sessions stay secret, because an id is enough to take a session over. For a session, pool is its session.save_path,
         * key is a short hash of path and id, and $prefix is compared with the path and a NUL. A site lists its own ids with
         * Larder\Sessions::ids().
         */
        public function entries(string $prefix = "", string $order = "", int $limit = 0, ?string $pool = null): array {}

        /**
         * Return only the keys of entries(), in no order; for large stores. With $named, the name of its Larder\Pool and a slash stand
         * before a key.
         * @return list<string>
         */
        public function keys(string $prefix = "", int $limit = 0, ?string $pool = null, bool $named = false): array {}

        /**
         * Return the number of entries and their bytes for each pool. Entries without a pool are under "".
         * @return array<string, array{entries: int, bytes: int}>
         */
        public function totals(string $prefix = ""): array {}

        /**
         * Return the value of an entry. $found: if the entry exists.
         * @param bool $found
         * @throws StaticCacheException another PHP or another language wrote the values, or they are sessions
         */
        public function value(string $key, &$found = null): mixed {}

        /**
         * Delete an entry. For a session, $key is the key from entries().
         * @throws StaticCacheException a request is using the session
         */
        public function delete(string $key): bool {}

        /**
         * Remove all entries, or only those without a pool whose key begins with $prefix. With $prefix, entries are removed one by one.
         * Returns the number of removed entries.
         */
        public function clear(string $prefix = ""): int {}

        /**
         * Check every invariant.
         * @return list<string> the violations
         */
        public function fsck(): array {}

        /** @return list<array{thread: int, hits: int, misses: int, copies: int, held: int}> the threads that use the store */
        public function threads(): array {}
    }
}
