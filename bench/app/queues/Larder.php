<?php

declare(strict_types=1);

namespace Bench\Queue;

use Bench\Pusher;
use Larder\Queue;

/** A queue of Larder in a named store, which a consumer on the command line can open, too. */
final class Larder implements Pusher
{
    public const SETTINGS = ['extension=larder', 'larder.queue_size=256M'];
    public const NEEDS = Queue::class;
    public const MISSING = 'the extension larder is not loaded; make php builds it';

    public function push(string $message): bool
    {
        return Queue::open('bench')->push($message) !== null;
    }

    public function waiting(): ?int
    {
        return Queue::open('bench')->info()->ready;
    }
}
