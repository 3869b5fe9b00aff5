<?php

/**
 * Semaphores and broadcasts between processes. docs/coordination.md describes them.
 *
 * @generate-class-entries
 */

namespace Larder {

    /**
     * Gives permits to a limited number of callers at the same time. The permits of all processes that share the volatile store count together.
     * VolatileCache::clear() does not end permits.
     */
    final class Semaphore
    {
        private function __construct() {}

        /**
         * Acquires a permit of the semaphore $name (1 to 1024 bytes). If all permits have owners, the call waits up to $wait seconds. All callers
         * must give the same number of $permits (1 to 1024). A permit ends with release(), when its object is destroyed, after $lease seconds (0
         * means no lease), and when the request or the process ends, even if the process is killed. Waiting callers get permits in about the order of
         * their calls, but calls that wait in the waitWith() function may be overtaken.
         *
         * @return Permit|null null if no permit became free in time, if this process (in ZTS builds: this thread) has all permits, or if a signal
         * ended the wait
         * @throws StaticCacheException if the store is off, or has no room for the semaphore
         */
        public static function acquire(string $name, int $permits, int|float $lease = 0, int|float $wait = 0): ?Permit {}

        /** Returns the number of permits that have owners. */
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

        /** Sets the lease: the permit ends in $lease seconds (0 means no lease). Returns false if the permit has ended. */
        public function renew(int|float $lease): bool {}

        /** Ends the permit. Returns false if the permit has already ended. */
        public function release(): bool {}
    }

    /**
     * A value that one process publishes and all others read, such as flags, routes or prices. A read costs about as much as that of a static
     * property. The value is in the pinned store; PinnedCache::clear() ends the broadcast.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Broadcast
    {
        private function __construct() {}

        /** The last published value, or null if no value was published. */
        public readonly mixed $value;
        /**
         * A number that each publication raises; 0 if nothing was published since PinnedCache::clear(). No number occurs twice, not even after a
         * clear().
         */
        public readonly int $version;

        /** Opens the broadcast with this name (1 to 1024 bytes). Keep the object, because opening a broadcast takes longer than reading its value. */
        public static function open(string $name): Broadcast {}

        /**
         * Stores a value, as PinnedCache::set() does, and wakes all waiting processes. Returns false if there is no room, or if other processes have
         * been publishing for 5 seconds.
         */
        public function publish(mixed $value): bool {}

        /**
         * Sleeps until the version of the broadcast differs from $version. Returns false after $timeout seconds, or if a signal has
         * arrived.
         */
        public function wait(int $version, int|float $timeout): bool {}
    }
}
