<?php

/**
 * Queues between processes (docs/queue.md). larder.queue_size is the memory for all queues of a store.
 *
 * Bodies are stored and returned as values of the caches are: small ones are copied out, larger ones are shared as
 * they lie and stay as they are until the request ends, also when the message is gone. Times are seconds; a fraction
 * is allowed.
 *
 * @generate-class-entries
 */

namespace Larder {

    /**
     * A named queue. Delivery is at least once: a message that was pushed stays until it was acknowledged, deleted or
     * has expired; one that was acknowledged is never seen again.
     * @strict-properties
     * @not-serializable
     */
    final class Queue
    {
        private function __construct() {}

        /**
         * The queue of this name (1 to 200 bytes), made where there is none. $capacity is the most messages it takes
         * from now on; 0 changes nothing, and is no limit but memory for a new one. Throws a StaticCacheException where
         * queues are off.
         */
        public static function open(string $name, int $capacity = 0): Queue {}

        /** The names of all queues. Empty where queues are off. */
        public static function names(): array {}

        public function name(): string {}

        /**
         * The id of the message, or null when there is no room: also after $wait, and at once when that is 0. $delay:
         * nobody gets it before. Higher $priority (32 bits) goes first. $ttl: dropped when it was not acknowledged by
         * then, also when it was popped before and came back, but not while it is reserved; 0: never.
         */
        public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string {}

        /** Push all of them in order. The ids; fewer than bodies when there is no room for more. Keys are kept. */
        public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array {}

        /**
         * Reserve the next message; null when there is none within $timeout, or when a signal came. It is this process's
         * until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). When the object goes
         * without any of that, or the process ends or dies, the message is ready again at once.
         * @throws StaticCacheException a class of the body is gone or has changed (the message is buried), or the
         *     store's file is gone (the code is not 0)
         */
        public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message {}

        /** As pop(), and then messages that are ready: $count in all, fewer where memory_limit leaves no room for more. */
        public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array {}

        /**
         * Look without reserving: the message with this id in whatever state, or the one that would be popped next.
         * @throws StaticCacheException a class of the body is gone or has changed
         */
        public function peek(?string $id = null): ?Message {}

        /**
         * All messages, or so many, in whatever state and no order, without reserving them.
         * @throws StaticCacheException as peek(), whichever of them it is
         */
        public function list(int $limit = 0): array {}

        /** Remove a message; false when there is none of this id, or another process has reserved it. */
        public function delete(string $id): bool {}

        /** Make at most so many buried messages ready, the oldest first. How many. */
        public function kick(int $count = PHP_INT_MAX): int {}

        /**
         * Remove all messages that nobody has reserved; with $reserved those of workers, too, whose ack(), release() and
         * bury() then answer false. How many.
         */
        public function clear(bool $reserved = false): int {}

        public function info(): QueueInfo {}
    }

    /**
     * A message. What it does to its queue answers false when it is not, or no longer, reserved by this object:
     * never popped, its time to run was over, or it was acknowledged, released or buried before.
     * False, too, while whoever has the queue's lock is stopped: it stays reserved, and may be tried again.
     * @strict-properties
     * @not-serializable
     */
    final class Message
    {
        private function __construct() {}

        public readonly mixed $body;
        public readonly string $id;
        /** How often it was popped, this time included. */
        public readonly int $attempts;
        public readonly int $priority;
        /** "ready", "reserved", "delayed" or "buried", when it was looked at. */
        public readonly string $state;

        /** It is done: gone for good. */
        public function ack(): bool {}

        /** Ready again, after $delay. */
        public function release(int|float $delay = 0): bool {}

        /** Put it aside until kick(). */
        public function bury(): bool {}

        /** Its time to run begins anew: that of pop(), or, if given, another one (0: no limit). */
        public function touch(int|float|null $timeToRun = null): bool {}

        /** Whether this object still has to acknowledge, release or bury it. */
        public function isReserved(): bool {}
    }

    /**
     * The state of a queue.
     * @strict-properties
     */
    final class QueueInfo
    {
        private function __construct() {}

        /** Messages now. */
        public readonly int $ready;
        public readonly int $reserved;
        public readonly int $delayed;
        public readonly int $buried;
        /** Of shared memory that they take. */
        public readonly int $bytes;
        /** Most messages; 0: no limit but memory. */
        public readonly int $capacity;
        /** So far. */
        public readonly int $pushed;
        public readonly int $acked;
        /** By delete() and clear(). */
        public readonly int $deleted;
        /** Pops of a message that had been popped before. */
        public readonly int $redelivered;
        /** Messages that came back because their process died, or took too long. */
        public readonly int $returned;
        public readonly int $expired;
        /** Pushes that found no room. */
        public readonly int $refused;
        /** How often a push woke somebody. */
        public readonly int $wakeups;
    }
}
