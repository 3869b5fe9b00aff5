<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Contracts\Queue\ClearableQueue;
use Illuminate\Contracts\Queue\Queue as QueueContract;
use Illuminate\Queue\Queue;
use Larder\Cache\Exception\QueuesUnusable;
use Larder\Message;
use Larder\StaticCacheException;

/** Laravel's queues in shared memory. A job belongs to the worker that got it, until this worker dies. */
final class LarderQueue extends Queue implements QueueContract, ClearableQueue
{
    private const LEAST = 0.001; // the delay in seconds that release() uses in place of 0
    private const SOON = 0.02; // seconds after which a job with the delay LEAST is surely ready: the clock may be 10 ms late

    /** @var array<string, float> by queue: when a job was last released with delay 0; removed once this job is due */
    private array $released = [];
    /** @var array<string, \Larder\Queue> */
    private array $queues = [];
    /** True if the last job came from a queue that is not the first in the worker's list. */
    private bool $othersHadJob = false;

    /**
     * @param float $retryAfter seconds after which another worker gets an unfinished job; 0: another worker gets it only if the first dies
     * @param float $blockFor seconds that a worker waits for a job
     * @param bool $afterCommit if true, jobs wait until open transactions end, unless the job itself says otherwise
     */
    public function __construct(private readonly string $default, private readonly float $retryAfter = 0, private readonly float $blockFor = 0, bool $afterCommit = false)
    {
        $this->dispatchAfterCommit = $afterCommit;
    }

    public function size($queue = null)
    {
        $info = $this->queue($queue)->info();
        return $info->ready + $info->delayed + $info->reserved;
    }

    /** @param ?string $queue */
    public function pendingSize($queue = null): int
    {
        return $this->queue($queue)->info()->ready;
    }

    /** @param ?string $queue */
    public function delayedSize($queue = null): int
    {
        return $this->queue($queue)->info()->delayed;
    }

    /** @param ?string $queue */
    public function reservedSize($queue = null): int
    {
        return $this->queue($queue)->info()->reserved;
    }

    /** @param ?string $queue */
    public function creationTimeOfOldestPendingJob($queue = null): ?int
    {
        $body = $this->queue($queue)->peek()?->body;
        $payload = \is_string($body) ? json_decode($body, true) : null;
        $created = \is_array($payload) ? $payload['createdAt'] ?? null : null;
        return \is_int($created) ? $created : null;
    }

    public function push($job, $data = '', $queue = null)
    {
        return $this->enqueueUsing($job, $this->createPayload($job, $this->name($queue), $data), $queue, null, fn(string $payload, ?string $queue) => $this->pushRaw($payload, $queue));
    }

    /** @param array<mixed> $options */
    public function pushRaw($payload, $queue = null, array $options = [])
    {
        return $this->add($payload, $queue, 0);
    }

    public function later($delay, $job, $data = '', $queue = null)
    {
        return $this->enqueueUsing($job, $this->createPayload($job, $this->name($queue), $data, $delay), $queue, $delay, fn(string $payload, ?string $queue, \DateInterval|\DateTimeInterface|int $delay) => $this->add($payload, $queue, $this->secondsUntil($delay)));
    }

    /**
     * @param array<object|string> $jobs
     * @param mixed $data
     */
    public function bulk($jobs, $data = '', $queue = null)
    {
        foreach ((array) $jobs as $job) {
            /** @var \DateInterval|\DateTimeInterface|int|null $delay of the trait Queueable */
            $delay = \is_object($job) ? $job->delay ?? null : null;
            $delay !== null ? $this->later($delay, $job, $data, $queue) : $this->push($job, $data, $queue);
        }
    }

    /**
     * @param int $index position in the worker's list of queues; the worker waits only for the first one, and only while no other queue has
     * a job
     */
    public function pop($queue = null, $index = 0)
    {
        $wait = $index === 0 && !$this->othersHadJob ? $this->blockFor : 0;
        $name = $this->name($queue);
        try {
            $message = $this->queue($queue)->pop(max($wait, $this->untilDue($name)), $this->retryAfter);
        } catch (StaticCacheException $error) {
            throw self::lost($error);
        }
        $this->othersHadJob = $index !== 0 && $message !== null;
        return $message !== null ? new LarderJob($this->container, $this, $message, $this->connectionName, $name) : null;
    }

    /**
     * Makes a job ready again after $delay seconds. A delay of 0 becomes LEAST, so that the job goes behind the ready ones, as in Laravel's
     * own queues.
     *
     * @internal
     */
    public function release(Message $message, string $queue, int $delay): void
    {
        $message->release($delay > 0 ? $delay : self::LEAST);
        if ($delay <= 0) {
            $this->released[$queue] = hrtime(true) / 1e9;
        }
    }

    /** Returns the seconds that pop() waits for a job that was released with delay 0. Otherwise --stop-when-empty would end the worker. */
    private function untilDue(string $queue): float
    {
        $left = ($this->released[$queue] ?? 0) + self::SOON - hrtime(true) / 1e9;
        if ($left <= 0) {
            unset($this->released[$queue]);
        }
        return max(0, min($left, self::SOON));
    }

    /** Deletes all jobs of a queue, even reserved ones. A worker finishes its reserved job, but the job is not tried again. */
    public function clear($queue)
    {
        return $this->queue($queue)->clear(true);
    }

    private function add(string $payload, mixed $queue, float $delay): string
    {
        $id = $this->queue($queue)->push($payload, max(0, $delay));
        if ($id !== null) {
            return $id;
        }
        try {
            \Larder\Queue::open($this->name($queue)); // throws if the queue cannot be used
        } catch (StaticCacheException $error) {
            throw self::lost($error);
        }
        throw new \RuntimeException("The queue {$this->name($queue)} is full or busy; if that lasts, raise larder.queue_size.");
    }

    /**
     * Returns the exception to throw for $error. If the store cannot be used, the text "Lost connection" makes the worker end, so that the
     * next worker opens the store again.
     */
    private static function lost(StaticCacheException $error): \Exception
    {
        return $error->getCode() !== 0 ? new \RuntimeException("Lost connection to the queues: {$error->getMessage()}", 0, $error) : $error;
    }

    private function name(mixed $queue): string
    {
        return \is_string($queue) && $queue !== '' ? $queue : $this->default;
    }

    private function queue(mixed $queue): \Larder\Queue
    {
        $name = $this->name($queue);
        if (!isset($this->queues[$name])) {
            QueuesUnusable::unlessShared();
        }
        return $this->queues[$name] ??= \Larder\Queue::open($name);
    }
}
