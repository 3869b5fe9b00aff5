<?php

/**
 * Semaphores and broadcasts between processes; see docs/coordination.md.
 *
 * @generate-class-entries
 */

namespace Larder {

    /**
     * A limited number of owners at a time, among all processes that share the volatile store. Apart from its entries: clear() ends no permit.
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

        /** How many of the permits have owners. */
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

        /** Ends it $lease seconds from now (0: no lease); false when it had ended before. */
        public function renew(int|float $lease): bool {}

        /** Ends it; false when it had ended before, by its lease. */
        public function release(): bool {}
    }

    /**
     * A value that one process publishes and all others read at about the cost of a static property: flags, routes, prices. In the pinned
     * store, under names of its own; PinnedCache::clear() ends it.
     * @strict-properties
     * @not-serializable
     */
    final class Broadcast
    {
        private function __construct() {}

        /** The value that was published last; null: none yet. */
        public readonly mixed $value;
        /** Another number after each publication, 0 before the first. Looking at it is as cheap. */
        public readonly int $version;

        /** Opens the broadcast of this name, 1 to 1024 bytes. Keep the object. */
        public static function open(string $name): Broadcast {}

        /** Stores a value, as PinnedCache::set(), and wakes all that wait. False: no room, or others are publishing for seconds. */
        public function publish(mixed $value): bool {}

        /**
         * Sleeps until $version is no longer the broadcast's, for up to $timeout seconds. False: it still is, or a signal came. A loop
         * can look at the property instead.
         */
        public function wait(int $version, int|float $timeout): bool {}
    }
}
