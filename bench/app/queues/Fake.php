<?php

declare(strict_types=1);

namespace Bench\Queue;

use Bench\Pusher;

/** Pushes nothing, which shows the cost of a request without a queue. */
final class Fake implements Pusher
{
    public const SETTINGS = [];
    public const NEEDS = self::class;
    public const MISSING = '';

    public function push(string $message): bool
    {
        return true;
    }

    public function waiting(): ?int
    {
        return null;
    }
}
