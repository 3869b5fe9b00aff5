<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a queue.
 */
final class QueueInfo
{
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
    /** Seconds since the oldest ready message was pushed; 0 if none is ready. */
    public readonly float $oldest;

    private function __construct() {}
}
