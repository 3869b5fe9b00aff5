<?php

/**
 * Queues between processes; see docs/queue.md. larder.queue_size is the memory of all queues of a store.
 *
 * A small body is copied. A larger body is read in shared memory until the request ends, and does not change. Times are in seconds;
 * fractions are allowed.
 *
 * @generate-class-entries
 */

namespace Larder {

    /**
     * A named queue. It delivers each message at least once: a message stays until it is acknowledged or deleted, or expires.
     * @strict-properties
     * @not-serializable
     */
    final class Queue
    {
        private function __construct() {}

        /**
         * Open or create the queue of this name (1 to 200 bytes), which accepts at most $capacity messages. If $capacity is 0, an existing
         * queue keeps its capacity, and a new queue is limited only by memory. Throws a StaticCacheException if queues are off.
         */
        public static function open(string $name, int $capacity = 0): Queue {}

        /**
         * Return the names of all queues, or an empty array if queues are off.
         *
         * @return list<string>
         */
        public static function names(): array {}

        public function name(): string {}

        /**
         * Push a message, and return its id, or null if there is no room even after $wait. The message is ready after $delay. Messages with
         * a higher $priority (32 bits) are popped first. After $ttl seconds (0: never), the message expires unless it is reserved.
         */
        public function push(mixed $body, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): ?string {}

        /**
         * Push all bodies in order, and return their ids under the keys of the bodies. If there is too little room, only the first bodies are
         * pushed, and the result has only the keys of these bodies.
         *
         * @phpstan-param array<array-key, mixed> $bodies
         * @return array<array-key, string>
         */
        public function pushMany(array $bodies, int|float $delay = 0, int $priority = 0, int|float $ttl = 0, int|float $wait = 0): array {}

        /**
         * Reserve the next message. Returns null if there is none within $timeout, or if a signal arrives. The message belongs to this
         * process until it is acknowledged, released or buried, for at most $timeToRun (0: no limit). If the message object is destroyed
         * before that, or the process ends, the message is ready again.
         * @throws StaticCacheException with the code 0 if a class of the body is gone or has changed (the message is then buried), or with
         * another code if the store cannot be used
         */
        public function pop(int|float $timeout = 0, int|float $timeToRun = 0): ?Message {}

        /**
         * Reserve a message as pop() does, and then more messages that are ready. Stops after $count messages, or earlier if memory_limit
         * leaves too little room.
         *
         * @return list<Message>
         */
        public function popMany(int $count, int|float $timeout = 0, int|float $timeToRun = 0): array {}

        /**
         * Return the message $id in any state or, without $id, the one that will be popped next. Does not reserve it.
         * @throws StaticCacheException if a class of the body is gone or has changed
         */
        public function peek(?string $id = null): ?Message {}

        /**
         * Return all messages, or at most $limit, in any state and in no particular order. Does not reserve them.
         *
         * @return list<Message>
         * @throws StaticCacheException if a class of one of the bodies is gone or has changed
         */
        public function list(int $limit = 0): array {}

        /** Remove a message. Returns false if there is no message with this id, or if another process has reserved it. */
        public function delete(string $id): bool {}

        /** Make at most $count buried messages ready again, the oldest first. Returns their number. */
        public function kick(int $count = PHP_INT_MAX): int {}

        /**
         * Remove all messages that are not reserved or, with $reserved, all messages. Returns their number. The workers of reserved messages
         * then get false from ack(), release() and bury().
         */
        public function clear(bool $reserved = false): int {}

        public function info(): QueueInfo {}
    }

    /**
     * A message. Its methods return false if the message is not reserved for this object: it was not popped, its time to run is over, or it
     * is already acknowledged, released or buried. They also return false while a stopped process has locked the queue; the message stays
     * reserved, and you may try again.
     * @strict-properties
     * @not-serializable
     */
    final class Message
    {
        private function __construct() {}

        public readonly mixed $body;
        public readonly string $id;
        /** How often the message was popped, including this time. */
        public readonly int $attempts;
        public readonly int $priority;
        /** "ready", "reserved", "delayed" or "buried": the state when this object was returned. */
        public readonly string $state;

        /** Acknowledge the message: its work is done, and it is removed. */
        public function ack(): bool {}

        /** Make the message ready again after $delay. */
        public function release(int|float $delay = 0): bool {}

        /** Bury the message: it is not popped again before Queue::kick(). */
        public function bury(): bool {}

        /** Restart the message's time to run: $timeToRun (0: no limit), or null for the time that was given to pop(). */
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

        /** The number of messages that are ready now. */
        public readonly int $ready;
        public readonly int $reserved;
        public readonly int $delayed;
        public readonly int $buried;
        /** Size in bytes of the shared memory that the messages use. */
        public readonly int $bytes;
        /** The maximum number of messages; 0 means that only memory limits it. */
        public readonly int $capacity;
        /** The number of messages pushed since the queue was created. */
        public readonly int $pushed;
        public readonly int $acked;
        /** The number of messages that delete() and clear() removed. */
        public readonly int $deleted;
        /** The number of times that a message was popped again. */
        public readonly int $redelivered;
        /** The number of messages that became ready again because their process died, or took longer than $timeToRun. */
        public readonly int $returned;
        public readonly int $expired;
        /** The number of pushes that found no room. */
        public readonly int $refused;
        /** The number of times that a push woke a waiting worker. */
        public readonly int $wakeups;
        /**
         * How long the oldest ready message has been ready, since its push, its kick() or the end of its delay. Accurate to one second; 0
         * if no message is ready.
         */
        public readonly float $oldest;
    }
}
