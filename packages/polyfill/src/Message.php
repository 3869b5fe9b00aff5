<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Closed;
use Larder\Polyfill\Fault;
use Larder\Polyfill\QueueState;

/**
 * A message. Its methods return false if the message is not reserved for this object.
 */
final class Message
{
    use Closed;

    public readonly mixed $body;
    public readonly string $id;
    /** How often the message was popped, including this time. */
    public readonly int $attempts;
    public readonly int $priority;
    /** "ready", "reserved", "delayed" or "buried": the state when this object was returned. */
    public readonly string $state;

    private readonly QueueState $queue;
    private readonly float $timeToRun;
    private readonly int $process;
    private bool $isReserved;

    private function __construct() {}

    /** Acknowledge the message: its work is done, and it is removed. */
    public function ack(): bool
    {
        Fault::most(\func_num_args(), 0);
        return $this->end('acked');
    }

    /** Make the message ready again after $delay. */
    public function release(int|float $delay = 0): bool
    {
        Fault::most(\func_num_args(), 1);
        $delay = Fault::seconds($delay, 1);
        return $this->end($delay > 0 ? 'delayed' : 'ready', $delay);
    }

    /** Bury the message: it is not popped again before Queue::kick(). */
    public function bury(): bool
    {
        Fault::most(\func_num_args(), 0);
        return $this->end('buried');
    }

    /** Restart the message's time to run: $timeToRun (0: no limit), or null for the time that was given to pop(). */
    public function touch(int|float|null $timeToRun = null): bool
    {
        Fault::most(\func_num_args(), 1);
        return $this->isReserved = $this->end('reserved', $timeToRun !== null ? Fault::seconds($timeToRun, 1) : $this->timeToRun);
    }

    /** True if this object must still acknowledge, release or bury the message. */
    public function isReserved(): bool
    {
        Fault::most(\func_num_args(), 0);
        return $this->isReserved && $this->process === getmypid();
    }

    public function __destruct()
    {
        if ($this->isReserved ?? false) {
            $this->end('ready');
        }
    }

    /** Ends this object's reservation. Returns false if there is none. */
    private function end(string $state, float $seconds = 0.0): bool
    {
        $may = $this->isReserved && $this->process === getmypid();
        $this->isReserved = false;
        return $may && $this->queue->end((int) $this->id, $this->attempts, $state, $seconds);
    }
}
