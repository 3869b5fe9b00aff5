<?php

declare(strict_types=1);

namespace Bench\Queue;

use Bench\Pusher;
use Bench\Unavailable;
use Larder\Queue;

/** A queue of Larder in a named store, which a consumer under the command line shares. */
final class Larder implements Pusher
{
    public const SETTINGS = ['extension=larder', 'larder.queue_size=256M'];

    private readonly Queue $queue;

    public function __construct()
    {
        class_exists(Queue::class, false) || throw new Unavailable('the extension larder is not loaded; make php builds it');
        $this->queue = Queue::open('bench');
    }

    public function push(string $message): bool
    {
        return $this->queue->push($message) !== null;
    }

    public function waiting(): ?int
    {
        return $this->queue->info()->ready;
    }
}
