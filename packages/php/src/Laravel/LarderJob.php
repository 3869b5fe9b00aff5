<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Container\Container;
use Illuminate\Contracts\Queue\Job as JobContract;
use Illuminate\Queue\Jobs\Job;
use Larder\Message;

/** A job that a worker has taken from a queue. */
final class LarderJob extends Job implements JobContract
{
    /** @param string $connectionName null if the queue was not made by Laravel's QueueManager */
    public function __construct(Container $container, private readonly LarderQueue $larder, private readonly Message $message, $connectionName, string $queue)
    {
        $this->container = $container;
        $this->connectionName = $connectionName;
        $this->queue = $queue;
    }

    /** @param \DateTimeInterface|\DateInterval|int $delay seconds, or the time or interval that a middleware gives */
    public function release($delay = 0)
    {
        $seconds = max(0, $this->secondsUntil($delay));
        parent::release($seconds);
        $this->larder->release($this->message, $this->queue, $seconds);
    }

    public function delete()
    {
        parent::delete();
        $this->message->ack();
    }

    public function attempts()
    {
        return $this->message->attempts;
    }

    /** @return string */
    public function getJobId()
    {
        return $this->message->id;
    }

    public function getRawBody()
    {
        return \is_string($this->message->body) ? $this->message->body : '';
    }
}
