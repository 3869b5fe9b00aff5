<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** A rate limit with a sliding window. Time is divided into parts. $units counts the units that were taken in each part. */
final class Window
{
    public const LIMIT_MAX = 16383;
    private const PARTS = 32;

    /** @param array<int, int> $units the units taken in each part, in the order of the parts */
    private function __construct(private array $units, private readonly int $length, private readonly int $now) {}

    /**
     * @param int $per nanoseconds
     * @return ?self null if the entry is not a window, or has another length
     */
    public static function of(?Entry $entry, int $per, int $now): ?self
    {
        if ($entry !== null && $entry->value !== null) {
            return null;
        }
        $length = intdiv($per - 1, self::PARTS) + 1;
        if ($entry?->window !== null && $entry->window->length !== $length) {
            return null;
        }
        $first = intdiv($now, $length) - self::PARTS;
        return new self(array_filter($entry->window->units ?? [], static fn(int $part): bool => $part >= $first, ARRAY_FILTER_USE_KEY), $length, $now);
    }

    /** @return array{array<int, int>, int} the record that fromRecord() takes */
    public function record(): array
    {
        return [$this->units, $this->length];
    }

    /** @param array{array<int, int>, int} $record */
    public static function fromRecord(array $record): self
    {
        return new self($record[0], $record[1], 0);
    }

    public function units(): int
    {
        return (int) array_sum($this->units);
    }

    public function take(int $limit, int $cost): bool
    {
        if ($this->units() + $cost > $limit) {
            return false;
        }
        if ($cost > 0) {
            $part = intdiv($this->now, $this->length);
            $this->units[$part] = ($this->units[$part] ?? 0) + $cost;
        }
        return true;
    }

    /** Returns the nanoseconds until $units units have left the window. */
    public function until(int $units): int
    {
        foreach ($this->units as $part => $taken) {
            $units -= $taken;
            if ($units <= 0) {
                return ($part + self::PARTS + 1) * $this->length - $this->now;
            }
        }
        return 0;
    }
}
