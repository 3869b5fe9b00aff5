<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** A message in its queue. Times are those of Store::now(). */
final class QueueItem
{
    public const OVERHEAD = 128;

    public int $attempts = 0;
    /** When the delay or the time to run of the message ends; INF: never. */
    public float $until = INF;
    /** The owner of a reserved message (see Owner). */
    public string $owner = '';

    public function __construct(
        public readonly int $id,
        public readonly Encoded $body,
        public readonly int $priority,
        public readonly float $expires,
        public string $state,
        /** When the message became ready or was buried. A reservation that ends does not change this time. */
        public float $waits,
    ) {}

    public function bytes(): int
    {
        return $this->body->size + self::OVERHEAD;
    }

    /** @return list<mixed> all data except the body */
    public function record(): array
    {
        return [$this->priority, $this->expires, $this->state, $this->waits, $this->attempts, $this->until, $this->owner];
    }

    /** @param array<mixed> $record */
    public static function fromRecord(int $id, Encoded $body, array $record): self
    {
        /** @var array{int, float, string, float, int, float, string} $record */
        $item = new self($id, $body, $record[0], $record[1], $record[2], $record[3]);
        [, , , , $item->attempts, $item->until, $item->owner] = $record;
        return $item;
    }
}
