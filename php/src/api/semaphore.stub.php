<?php

/**
 * Semaphores and broadcasts between processes; see docs/coordination.md.
 *
 * @generate-class-entries
 */

namespace Larder {

    /**
     * Limits how many owners there are at a time, among all processes that share the volatile store. Semaphores are no entries: clear()
     * ends no permit.
     */
    final class Semaphore
    {
        private function __construct() {}

        /**
         * Acquires one of $permits permits of the semaphore $name (1 to 1024 bytes). If all have owners, the call waits up to $wait
         * seconds. All callers that use a name must give the same $permits, 1 to 1024. A permit ends with release(), when its object is
         * destroyed, after $lease seconds (0: no lease), with the request, or with its process. If the owner is killed, its permit is free
         * at once. Waiting callers get permits in turn. After waitWith() they do not, but then other fibers run while a call waits.
         * @return Permit|null null: others have them all, or a signal ended the wait, or this process has them all itself
         * @throws StaticCacheException the store is off, or has no room for the reservation
         */
        public static function acquire(string $name, int $permits, int|float $lease = 0, int|float $wait = 0): ?Permit {}

        /** Returns the number of permits with owners. */
        public static function count(string $name, int $permits): int {}
    }

    /**
     * A permit of a semaphore. It is released when this object is destroyed.
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
     * A value that one process publishes and all others read: flags, routes, prices. A read costs about as much as that of a static
     * property. The value lies in the pinned store, under names of its own. PinnedCache::clear() ends it.
     * @strict-properties
     * @not-serializable
     */
    final class Broadcast
    {
        private function __construct() {}

        /** The last published value; null: none yet. */
        public readonly mixed $value;
        /** A number that changes with each publication; 0: there was none. Reading it costs as little as reading $value. */
        public readonly int $version;

        /** Opens the broadcast of this name, 1 to 1024 bytes. Keep the object. */
        public static function open(string $name): Broadcast {}

        /**
         * Stores a value like PinnedCache::set(), and wakes all waiting processes. Returns false if there is no room, or if other processes
         * are publishing for seconds.
         */
        public function publish(mixed $value): bool {}

        /**
         * Sleeps until the version of the broadcast differs from $version. Returns false after $timeout seconds, or if a signal came. A
         * loop with other work to do need not call this: it can read the property $version.
         */
        public function wait(int $version, int|float $timeout): bool {}
    }
}
