<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** A message as its queue keeps it. Times are those of Store::now(). */
final class QueueItem
{
    public const OVERHEAD = 128;

    public int $attempts = 0;
    /** When a state that ends by itself ends: a delay, a time to run. INF: it does not. */
    public float $until = INF;

    public function __construct(
        public readonly int $id,
        public readonly Encoded $body,
        public readonly int $priority,
        public readonly float $expires,
        public string $state,
        /** Since when it waits: its push, the end of its delay, or a kick. */
        public float $waits,
    ) {}

    public function bytes(): int
    {
        return $this->body->size + self::OVERHEAD;
    }
}
