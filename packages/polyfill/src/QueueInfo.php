<?php

declare(strict_types=1);

namespace Larder;

/**
 * The state of a queue.
 */
final class QueueInfo
{
    /** The number of messages that are ready now. */
    public readonly int $ready;
    public readonly int $reserved;
    public readonly int $delayed;
    public readonly int $buried;
    /** Size in bytes of the messages. */
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
    /** Always 0 in the polyfill. */
    public readonly int $wakeups;
    /** How long the oldest ready message has been ready, in seconds. 0 if none is ready. */
    public readonly float $oldest;

    private function __construct() {}
}
