<?php

/**
 * Queues between processes; see docs/queue.md. larder.queue_size is the memory of all queues of a store.
 *
 * Bodies are stored and returned like the values of a cache. A small body is copied. A larger one is read in shared memory; it does not
 * change until the request ends, even if the message is gone. Times are in seconds; fractions are allowed.
 *
 * @generate-class-entries
 */

namespace Larder {

    /**
     * A named queue. Delivery is at least once: a pushed message stays until it is acknowledged or deleted, or expires. An acknowledged
     * message is never delivered again.
     * @strict-properties
     * @not-serializable
     */
    final class Queue
    {
        private function __construct() {}

        /**
         * Open or create the queue of this name (1 to 200 bytes). From now on the queue accepts at most $capacity messages. With 0, an
         * existing queue keeps its capacity, and a new one is limited only by memory. Throws a StaticCacheException if queues are off.
         */
        public static function open(string $name, int $capacity = 0): Queue {}

        /** Return the names of all queues; empty if queues are off. */
        public static function names(): array {}

        public function name(): string {}

        /**
         * Push a message and return its id, or null if there is no room even after $wait. The message is not ready before $delay. A higher
         * $priority (32 bits) goes first. After $ttl (0: never) the message expires, unless it is reserved then.
         */
        public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string {}

        /** Push all bodies in order, and return their ids under the same keys. If there is no room for all, fewer are pushed. */
        public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array {}

        /**
         * Reserve the next message. Returns null if there is none within $timeout, or if a signal arrives. The message belongs to this
         * process until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). If the object is destroyed before, or
         * the process ends or dies, the message is ready again at once.
         * If a class of the body is gone or has changed, the message is buried, and a StaticCacheException is thrown. If the store's file
         * is gone, the code of the StaticCacheException is not 0.
         * @throws StaticCacheException
         */
        public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message {}

        /**
         * Reserve a message like pop(), and then more that are ready, at most $count in all. Returns fewer if memory_limit leaves no room
         * for more.
         */
        public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array {}

        /**
         * Look at a message without reserving it: the one with this id in any state, or the next one to be popped.
         * @throws StaticCacheException a class of the body is gone or has changed
         */
        public function peek(?string $id = null): ?Message {}

        /**
         * Return all messages, or at most $limit, in any state and no order, without reserving them.
         * @throws StaticCacheException a class of one of the bodies is gone or has changed
         */
        public function list(int $limit = 0): array {}

        /** Remove a message. Returns false if there is none with this id, or if another process has reserved it. */
        public function delete(string $id): bool {}

        /** Make at most $count buried messages ready again, the oldest first. Returns their number. */
        public function kick(int $count = PHP_INT_MAX): int {}

        /**
         * Remove all messages that are not reserved, and return their number. With $reserved, remove reserved ones too: the worker's ack(),
         * release() and bury() then return false.
         */
        public function clear(bool $reserved = false): int {}

        public function info(): QueueInfo {}
    }

    /**
     * A message. Its methods return false if this object does not have it reserved: it was never popped, its time to run is over, or it was
     * acknowledged, released or buried before. They also return false while a process that has locked the queue is stopped. The message
     * then stays reserved, and you may try again.
     * @strict-properties
     * @not-serializable
     */
    final class Message
    {
        private function __construct() {}

        public readonly mixed $body;
        public readonly string $id;
        /** How often the message was popped, this time included. */
        public readonly int $attempts;
        public readonly int $priority;
        /** "ready", "reserved", "delayed" or "buried", at the time of the call. */
        public readonly string $state;

        /** Acknowledge the message: it is done and removed. */
        public function ack(): bool {}

        /** Make the message ready again, after $delay. */
        public function release(int|float $delay = 0): bool {}

        /** Put the message aside (bury it) until Queue::kick(). */
        public function bury(): bool {}

        /** Restart the time to run. It is that of pop(), or $timeToRun if given (0: no limit). */
        public function touch(int|float|null $timeToRun = null): bool {}

        /** True if this object must still acknowledge, release or bury the message. */
        public function isReserved(): bool {}
    }

    /**
     * The state of a queue.
     * @strict-properties
     */
    final class QueueInfo
    {
        private function __construct() {}

        /** Number of messages that are ready now. */
        public readonly int $ready;
        public readonly int $reserved;
        public readonly int $delayed;
        public readonly int $buried;
        /** Bytes of shared memory that the messages use. */
        public readonly int $bytes;
        /** The queue accepts at most this number of messages; 0: no limit except memory. */
        public readonly int $capacity;
        /** Pushed messages since the queue was created. */
        public readonly int $pushed;
        public readonly int $acked;
        /** Messages removed by delete() and clear(). */
        public readonly int $deleted;
        /** Pops of messages that had been popped before. */
        public readonly int $redelivered;
        /** Messages that were ready again because their process died, or took too long. */
        public readonly int $returned;
        public readonly int $expired;
        /** Pushes that found no room. */
        public readonly int $refused;
        /** How often a push woke a waiting worker. */
        public readonly int $wakeups;
        /** Seconds that the oldest ready message has waited since its push, the end of its delay, or a kick; 0 if none is ready. */
        public readonly float $oldest;
    }
}
