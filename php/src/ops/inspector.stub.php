<?php

/** @generate-class-entries */

namespace Larder {

    /**
     * Shows the state and the entries of a store, for the command `larder`, its dashboard and its metrics. Its reads do not count as uses,
     * and delay no other process. Only own() may create a store.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Inspector
    {
        private function __construct() {}

        /**
         * Inspect a store of this process: "volatile", "pinned", "immutable", "apcu", "session" or "queue" (which has no entries, see
         * Larder\Queue). Opens or creates the store, as a program would.
         *
         * @throws StaticCacheException if the store is off; the message says why
         */
        public static function own(string $store): Inspector {}

        /**
         * Inspect the store in an existing file, of any size, kind and PHP version. The file must belong to the calling user, and
         * open_basedir must allow its path.
         *
         * @throws StaticCacheException if there is no such store, or if it cannot be used; the message says why
         */
        public static function open(string $path): Inspector {}

        /**
         * Return the path of this user's named store with this scope and folder, even if it does not exist.
         *
         * @throws StaticCacheException if $scope is not a valid scope, or if open_basedir does not allow the path
         */
        public static function path(string $store, string $scope, string $folder = "/dev/shm"): string {}

        /**
         * Return the statistics of the store. Sizes are in bytes, and times in seconds. Counts begin when the store is created.
         *
         * - The store: name, path ("" if anonymous), policy ("volatile", "pinned", "immutable", "session" or "queue"), size, value_limit,
         *   entry_limit, thread_limit.
         * - abi: the PHP that has written the values, such as "php20220829,NTS,8,codec11".
         * - readable: true if this PHP can read the values.
         * - fence: true if reads cost more, because membarrier was denied when the store was created.
         * - Memory: used (bytes of live values), claimed (bytes of the pages that are in use), retired (bytes that are not free yet), held
         *   (bytes that threads are allowed to hold at the moment), entries.
         * - Counts: hits, misses, inserts, replaces, deletes, evicted, expired, ghost_hits (inserts of keys that were evicted recently),
         *   refused, refusal_causes (the number for each cause), busy (calls that waited in vain for a lock), threads.
         * - Average age of entries that were evicted recently: evicted_age.
         * - Mishaps: deaths, recoveries, repairs (repairs that dropped damaged data), memory_short (how often the file system had no room
         *   for more memory of the store).
         * - Reads that returned a copy: copies, copy_causes (the number for each cause). The causes are "memory" (the thread held too
         *   many bytes), "time" (it held values too long) and "number" (it held too many values).
         * - Forms (see larder.form): packs (values that were stored packed), falls (ready values that became packed), rises (packed values
         *   that became ready) and unpacks (reads of packed values).
         * - Packed entries: packed_entries (their number), packed_bytes (their memory), packed_ready (the memory that they would take if
         *   they were ready).
         * - Age: uptime (seconds since the store was created).
         * - This worker: resident_graphs, resident_bytes and failures (the number of failed attempts to open the store).
         *
         * @return array<string, mixed>
         */
        public function stats(): array {}

        /**
         * Return at most $limit entries whose key begins with $prefix, or all of them if $limit is 0. $order is "" (no order), "key", "ttl"
         * (the next to expire comes first), or "size", "uses" or "age" (the largest comes first).
         *
         * Each entry has these elements:
         * - key, type and version, and pool (null if the entry has no pool).
         * - size (bytes of the value), and bytes (bytes of value, key and header).
         * - form ("ready" or "packed"), and ready (the size of the value in the ready form).
         * - age (seconds; null for an int), and ttl (seconds left; null if there is no limit).
         * - uses: the number of recent uses, from 0 to 3.
         *
         * For a session, "pool" is its session.save_path, and "key" is a short hash of this path and the secret id. $prefix is compared with the
         * path, followed by a NUL byte.
         *
         * @return list<array<string, mixed>>
         */
        public function entries(string $prefix = "", string $order = "", int $limit = 0, ?string $pool = null): array {}

        /**
         * Return only the keys of entries(), in no particular order. Takes less memory. If $named is true, the key of an entry in a
         * Larder\Pool begins with the pool's name and a slash.
         *
         * @return list<string>
         */
        public function keys(string $prefix = "", int $limit = 0, ?string $pool = null, bool $named = false): array {}

        /**
         * Return the number of entries and their bytes for each pool, with "" for entries without a pool.
         *
         * @return array<string, array{entries: int, bytes: int}>
         */
        public function totals(string $prefix = ""): array {}

        /**
         * Return the value of an entry, or null if there is none. $found becomes true if the entry exists.
         *
         * @param bool $found
         * @throws StaticCacheException if the values were written by another build of PHP or by another language, or if they are sessions
         */
        public function value(string $key, &$found = null): mixed {}

        /**
         * Delete an entry. For a session, $key comes from entries(). Returns true if the entry existed.
         *
         * @throws StaticCacheException if a request is using the session
         */
        public function delete(string $key): bool {}

        /**
         * Remove all entries. If $prefix is not empty, removes only entries that have no pool and a key that begins with $prefix. Returns the
         * number of removed entries.
         */
        public function clear(string $prefix = ""): int {}

        /**
         * Check all invariants of the store's data structures.
         * @return list<string> the violations
         */
        public function fsck(): array {}

        /** @return list<array{thread: int, hits: int, misses: int, copies: int, held: int}> the threads that use the store */
        public function threads(): array {}
    }
}
