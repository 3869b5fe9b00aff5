<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Waits for other fibers or for some time: asleep, or by the function of waitWith(). */
final class Waits
{
    /** Seconds between two checks while other fibers run. */
    private const PAUSE = 0.02;

    private static ?\Closure $wait = null;
    /** @var array<int, true> by fiber: it is in the function; 0: the main program */
    private static array $within = [];

    public static function with(?\Closure $wait): void
    {
        self::$wait = $wait;
    }

    /** Returns true if other fibers run during a wait, so that they may change entries. */
    public static function lets(): bool
    {
        return self::$wait !== null;
    }

    /** Lets other fibers run for a moment. Returns false if the program has no function for that, or if the function cannot suspend this fiber. */
    public static function pause(): bool
    {
        return self::call(self::PAUSE);
    }

    /** Waits for up to $seconds. Returns false if a signal came. */
    public static function sleep(float $seconds): bool
    {
        $seconds = max($seconds, 1e-4);
        if (self::call($seconds)) {
            return true;
        }
        return time_nanosleep((int) $seconds, (int) (fmod($seconds, 1.0) * 1e9)) === true;
    }

    /**
     * Calls the program's function. Returns false if there is none, if it cannot suspend, or if this wait is inside the function, which would then
     * call itself endlessly.
     */
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
        } catch (\FiberError $error) {
            if ($error->getMessage() !== 'Cannot switch fibers in current execution context') { // in a destructor of the collector
                throw $error;
            }
            return false;
        } finally {
            unset(self::$within[$here]);
        }
    }
}
