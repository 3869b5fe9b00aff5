<?php

/**
 * Semaphores and broadcasts between processes; see docs/coordination.md.
 *
 * @generate-class-entries
 */

namespace Larder {

    /**
     * A limited number of owners at a time, among all processes that share the volatile store. Semaphores are separate from its entries:
     * clear() ends no permit.
     */
    final class Semaphore
    {
        private function __construct() {}

        /**
         * Acquires one of $permits permits of the semaphore $name (1 to 1024 bytes), or waits for one for up to $wait seconds.
         * Callers that share a name give the same number, 1 to 1024. A permit ends with release(), when its object is destroyed, after
         * $lease seconds (0: no lease), with the request, or with its process: a killed owner's permit is free at once. Waiters get
         * permits in turn. While it waits, other fibers run only after waitWith(); then waiters have no turns.
         * @return Permit|null null: others have them all, or a signal ended the wait, or this process has them all itself
         * @throws StaticCacheException the store is off, or has no room for the reservation
         */
        public static function acquire(string $name, int $permits, int|float $lease = 0, int|float $wait = 0): ?Permit {}

        /** Returns the number of permits with owners. */
        public static function count(string $name, int $permits): int {}
    }

    /**
     * A permit of a semaphore, which its destruction releases.
     * @strict-properties
     * @not-serializable
     */
    final class Permit
    {
        private function __construct() {}

        /** Ends the permit $lease seconds from now (0: no lease). Returns false if it had ended before. */
        public function renew(int|float $lease): bool {}

        /** Ends the permit. Returns false if it had ended before, by its lease. */
        public function release(): bool {}
    }

    /**
     * A value that one process publishes and all others read at about the cost of a static property: flags, routes, prices. It lies in the pinned
     * store, under names of its own; PinnedCache::clear() ends it.
     * @strict-properties
     * @not-serializable
     */
    final class Broadcast
    {
        private function __construct() {}

        /** The last published value; null: none yet. */
        public readonly mixed $value;
        /** A number that changes with each publication, 0 before the first. Reading it is as cheap as reading $value. */
        public readonly int $version;

        /** Opens the broadcast of this name, 1 to 1024 bytes. Keep the object. */
        public static function open(string $name): Broadcast {}

        /** Stores a value like PinnedCache::set(), and wakes all waiters. Returns false if there is no room, or if other processes publish for
         * seconds. */
        public function publish(mixed $value): bool {}

        /**
         * Sleeps until the broadcast's version differs from $version, for up to $timeout seconds. Returns false if it does not differ, or if a signal
         * came. A loop can read the property instead.
         */
        public function wait(int $version, int|float $timeout): bool {}
    }
}
