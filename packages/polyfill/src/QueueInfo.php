<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a queue.
 */
final class QueueInfo
{
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

    private function __construct() {}
}
