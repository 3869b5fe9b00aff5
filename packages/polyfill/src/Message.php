<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Closed;
use Larder\Polyfill\Fault;
use Larder\Polyfill\QueueItem;
use Larder\Polyfill\QueueState;

/**
 * A message. Its methods return false if this object does not have it reserved: it was never popped, its time to run is over, or it was
 * acknowledged, released or buried before. They also return false while a process that has locked the queue is stopped. The message
 * then stays reserved, and you may try again.
 */
final class Message
{
    use Closed;

    public readonly mixed $body;
    public readonly string $id;
    /** How often the message was popped, this time included. */
    public readonly int $attempts;
    public readonly int $priority;
    /** "ready", "reserved", "delayed" or "buried", at the time of the call. */
    public readonly string $state;

    private readonly QueueState $queue;
    private readonly QueueItem $item;
    private readonly float $timeToRun;
    private readonly int $process;
    private bool $isReserved;

    private function __construct() {}

    /** Acknowledge the message: it is done and removed. */
    public function ack(): bool
    {
        Fault::most(\func_num_args(), 0);
        if (!$this->mayEnd()) {
            return false;
        }
        $this->queue->remove($this->item, 'acked');
        return true;
    }

    /** Make the message ready again, after $delay. */
    public function release(int|float $delay = 0): bool
    {
        Fault::most(\func_num_args(), 1);
        $delay = Fault::seconds($delay, 1);
        return $this->mayEnd() && $this->enter($delay > 0 ? 'delayed' : 'ready', $delay);
    }

    /** Put the message aside (bury it) until Queue::kick(). */
    public function bury(): bool
    {
        Fault::most(\func_num_args(), 0);
        return $this->mayEnd() && $this->enter('buried', 0.0);
    }

    /** Restart the time to run. It is that of pop(), or $timeToRun if given (0: no limit). */
    public function touch(int|float|null $timeToRun = null): bool
    {
        Fault::most(\func_num_args(), 1);
        $run = $timeToRun !== null ? Fault::seconds($timeToRun, 1) : $this->timeToRun;
        if (!$this->mayEnd()) {
            return false;
        }
        $this->isReserved = true;
        return $this->enter('reserved', $run);
    }

    /** True if this object must still acknowledge, release or bury the message. */
    public function isReserved(): bool
    {
        Fault::most(\func_num_args(), 0);
        return $this->isReserved && $this->process === getmypid();
    }

    public function __destruct()
    {
        if ($this->mayEnd()) {
            $this->enter('ready', 0.0);
        }
    }

    /** Ends the reservation by this object. Returns true if there was one. */
    private function mayEnd(): bool
    {
        $is = ($this->isReserved ?? false) && $this->process === getmypid() && $this->queue->isReserved($this->item, $this->attempts);
        $this->isReserved = false;
        return $is;
    }

    private function enter(string $state, float $seconds): bool
    {
        $this->queue->enter($this->item, $state, $seconds);
        return true;
    }
}
