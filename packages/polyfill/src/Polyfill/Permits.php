<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** The permits that have owners now, of all semaphores of this process. */
final class Permits
{
    /** @var array<array<int, float>> when a permit ends, by the semaphore's name and the owner's number */
    private static array $ends = [];
    private static int $number = 0;

    /** Adds an owner, and returns its number; null: all permits have owners. */
    public static function take(string $name, int $permits, float $lease): ?int
    {
        if (self::count($name, $permits) >= $permits) {
            return null;
        }
        self::$ends[$name][++self::$number] = $lease > 0 ? Store::now() + $lease : INF;
        return self::$number;
    }

    public static function renew(string $name, int $number, float $lease): bool
    {
        if ((self::$ends[$name][$number] ?? 0.0) <= Store::now()) {
            return false;
        }
        self::$ends[$name][$number] = $lease > 0 ? Store::now() + $lease : INF;
        return true;
    }

    public static function release(string $name, int $number): bool
    {
        $live = (self::$ends[$name][$number] ?? 0.0) > Store::now();
        unset(self::$ends[$name][$number]);
        return $live;
    }

    public static function count(string $name, int $permits): int
    {
        $now = Store::now();
        self::$ends[$name] = array_filter(self::$ends[$name] ?? [], static fn(float $end) => $end > $now);
        return min($permits, \count(self::$ends[$name]));
    }

    /** Returns the seconds until the first permit ends; null: none ends. */
    public static function firstEnd(string $name): ?float
    {
        $first = min([INF, ...(self::$ends[$name] ?? [])]);
        return is_finite($first) ? max(0.0, $first - Store::now()) : null;
    }
}
