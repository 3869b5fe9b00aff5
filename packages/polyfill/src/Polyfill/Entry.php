<?php

declare(strict_types=1);

namespace Larder\Polyfill;

final class Entry
{
    /** The assumed size of an entry in bytes, without its key and its value. */
    private const OVERHEAD = 64;

    /** The state of a rate limit with a sliding window. An entry with a window has no value. */
    public ?Window $window = null;

    /** Times are those of Store::now(). An entry that has neither a value nor a window is a lease. */
    public function __construct(
        public ?Encoded $value,
        public float $expires,
        public readonly int $version,
        public readonly float $stored,
        public readonly int $bytes,
    ) {}

    /** @return list<mixed> the record that fromRecord() takes; it contains no objects */
    public function record(): array
    {
        return [$this->value?->record(), $this->expires, $this->version, $this->stored, $this->bytes, $this->window?->record()];
    }

    /** @param array<mixed> $record */
    public static function fromRecord(array $record): self
    {
        /** @var array{list<mixed>|null, float, int, float, int, array{array<int, int>, int}|null} $record */
        [$value, $expires, $version, $stored, $bytes, $window] = $record;
        $entry = new self($value !== null ? Encoded::fromRecord($value) : null, $expires, $version, $stored, $bytes);
        $entry->window = $window !== null ? Window::fromRecord($window) : null;
        return $entry;
    }

    public static function bytesOf(string $key, ?Encoded $value): int
    {
        return \strlen($key) + self::OVERHEAD + ($value !== null ? $value->size : 0);
    }
}
