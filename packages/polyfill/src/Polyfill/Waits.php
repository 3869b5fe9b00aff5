<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Waits for other fibers or for time: asleep, or by the function of waitWith(). */
final class Waits
{
    /** Seconds between two looks, where other fibers run meanwhile. */
    private const PAUSE = 0.02;

    private static ?\Closure $wait = null;
    /** @var array<int, true> by fiber: it is in the function; 0: the main program */
    private static array $within = [];

    public static function with(?\Closure $wait): void
    {
        self::$wait = $wait;
    }

    /** Other fibers may change something during a wait. */
    public static function lets(): bool
    {
        return self::$wait !== null;
    }

    /** Lets other fibers run for a moment. False: the program has no function for that, or it cannot suspend this fiber. */
    public static function pause(): bool
    {
        return self::call(self::PAUSE);
    }

    /** Waits for up to $seconds. False: a signal came. */
    public static function sleep(float $seconds): bool
    {
        $seconds = max($seconds, 1e-4);
        if (self::call($seconds)) {
            return true;
        }
        return time_nanosleep((int) $seconds, (int) (fmod($seconds, 1.0) * 1e9)) === true;
    }

    /** False: there is no function, it cannot suspend, or the wait is within it and would call it again without an end. */
    private static function call(float $seconds): bool
    {
        $fiber = \Fiber::getCurrent();
        $here = $fiber !== null ? spl_object_id($fiber) : 0;
        if (self::$wait === null || isset(self::$within[$here])) {
            return false;
        }
        self::$within[$here] = true;
        try {
            return (self::$wait)(min($seconds, self::PAUSE)) !== false;
        } finally {
            unset(self::$within[$here]);
        }
    }
}
