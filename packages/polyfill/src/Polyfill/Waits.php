<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Waits, by sleeping or by the function that was passed to waitWith(). */
final class Waits
{
    /** How many seconds a pause for other fibers lasts. */
    private const PAUSE = 0.02;

    private static ?\Closure $wait = null;
    /** @var array<int, true> the fibers that are running the function $wait, by id (0: the main program). Their own waits sleep instead */
    private static array $within = [];

    public static function with(?\Closure $wait): void
    {
        self::$wait = $wait;
    }

    /** Returns true if other fibers, which may change entries, run during a wait. */
    public static function lets(): bool
    {
        return self::$wait !== null;
    }

    /** Lets other fibers run for a moment. Returns false if the fiber cannot be suspended. */
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
     * Calls the program's function for waiting. Returns false if there is no such function, if the function cannot suspend the fiber, or if
     * this fiber is already running the function.
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
            // PHP throws this error in a destructor that the garbage collector has called, because no fiber can be suspended there.
            if ($error->getMessage() !== 'Cannot switch fibers in current execution context') {
                throw $error;
            }
            return false;
        } finally {
            unset(self::$within[$here]);
        }
    }
}
