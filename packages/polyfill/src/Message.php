<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Closed;
use Larder\Polyfill\Fault;
use Larder\Polyfill\QueueItem;
use Larder\Polyfill\QueueState;

/**
 * A message. What it does to its queue answers false when it is not, or no longer, reserved by this object:
 * never popped, its time to run was over, or it was acknowledged, released or buried before.
 * False, too, while whoever has the queue's lock is stopped: it stays reserved, and may be tried again.
 */
final class Message
{
    use Closed;

    public readonly mixed $body;
    public readonly string $id;
    /** How often it was popped, this time included. */
    public readonly int $attempts;
    public readonly int $priority;
    /** "ready", "reserved", "delayed" or "buried", when it was looked at. */
    public readonly string $state;

    private readonly QueueState $queue;
    private readonly QueueItem $item;
    private readonly float $timeToRun;
    private bool $isReserved;

    private function __construct() {}

    /** It is done: gone for good. */
    public function ack(): bool
    {
        if (!$this->mayEnd()) {
            return false;
        }
        $this->queue->remove($this->item, 'acked');
        return true;
    }

    /** Ready again, after $delay. */
    public function release(int|float $delay = 0): bool
    {
        $delay = Fault::seconds($delay, 1);
        return $this->mayEnd() && $this->enter($delay > 0 ? 'delayed' : 'ready', $delay);
    }

    /** Put it aside until kick(). */
    public function bury(): bool
    {
        return $this->mayEnd() && $this->enter('buried', 0.0);
    }

    /** Its time to run begins anew: that of pop(), or, if given, another one (0: no limit). */
    public function touch(int|float|null $timeToRun = null): bool
    {
        $run = $timeToRun !== null ? Fault::seconds($timeToRun, 1) : $this->timeToRun;
        if (!$this->mayEnd()) {
            return false;
        }
        $this->isReserved = true;
        return $this->enter('reserved', $run);
    }

    /** Whether this object still has to acknowledge, release or bury it. */
    public function isReserved(): bool
    {
        return $this->isReserved;
    }

    public function __destruct()
    {
        if ($this->mayEnd()) {
            $this->enter('ready', 0.0);
        }
    }

    /** Whether this object has the message reserved. It has not, from now on. */
    private function mayEnd(): bool
    {
        $is = ($this->isReserved ?? false) && $this->queue->isReserved($this->item, $this->attempts);
        $this->isReserved = false;
        return $is;
    }

    private function enter(string $state, float $seconds): bool
    {
        $this->queue->enter($this->item, $state, $seconds);
        return true;
    }
}
