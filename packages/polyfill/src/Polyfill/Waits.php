<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Waits for other fibers or for time: asleep, or by the function of waitWith(). */
final class Waits
{
    /** Seconds between two looks, where other fibers run meanwhile. */
    private const PAUSE = 0.02;

    private static ?\Closure $wait = null;

    public static function with(?\Closure $wait): void
    {
        self::$wait = $wait;
    }

    /** Other fibers may change something during a wait. */
    public static function lets(): bool
    {
        return self::$wait !== null;
    }

    /** Waits for up to $seconds. False: a signal came. */
    public static function sleep(float $seconds): bool
    {
        $seconds = max($seconds, 1e-4);
        if (self::$wait !== null && (self::$wait)(min($seconds, self::PAUSE)) !== false) {
            return true;
        }
        return time_nanosleep((int) $seconds, (int) (fmod($seconds, 1.0) * 1e9)) === true;
    }
}
