<?php

declare(strict_types=1);

namespace Larder\Work;

/** Options for handling the messages of a queue. Times are in seconds. */
final class Options
{
    /**
     * @param int $memory bytes after which a process is replaced; 0: never
     * @param int $messages number of messages after which a process is replaced; 0: never
     * @param int $tries how often a message is handled before it counts as failed; 0: there is no limit
     * @param float $delay time until a message that failed is tried again
     * @param ?string $dead the queue that failed messages go to; null: they are buried
     * @param float $timeToRun time after which another process gets an unfinished message; 0: only when its process has died
     * @param float $grace time that a process gets to finish its message when it must stop
     */
    public function __construct(
        public readonly string $queue,
        public readonly string $handler,
        public readonly int $processes = 1,
        public readonly int $memory = 128 << 20,
        public readonly int $messages = 0,
        public readonly int $tries = 0,
        public readonly float $delay = 0,
        public readonly ?string $dead = null,
        public readonly float $timeToRun = 0,
        public readonly float $grace = 30,
        public readonly bool $once = false,
    ) {}
}
