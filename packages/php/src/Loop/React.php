<?php

declare(strict_types=1);

namespace Larder\Loop;

use React\EventLoop\Loop;
use React\EventLoop\LoopInterface;

/** Lets other fibers and ReactPHP's event loop run while a fiber waits for another process. Call install() when the program starts. */
final class React
{
    public static function install(): void
    {
        \Larder\waitWith(self::wait(...));
    }

    public static function wait(float $seconds): bool
    {
        $fiber = \Fiber::getCurrent();
        if ($fiber === null || self::isLoops()) {
            return false;
        }
        $timer = Loop::addTimer($seconds, static function () use ($fiber): void {
            $fiber->resume();
        });
        try {
            \Fiber::suspend();
        } finally {
            Loop::cancelTimer($timer);
        }
        return true;
    }

    /** Returns true if the current fiber runs the event loop. Such a fiber must not be suspended: only the event loop could resume it. */
    private static function isLoops(): bool
    {
        foreach (debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS) as $call) {
            $class = $call['class'] ?? '';
            if ($class === \Fiber::class) {
                return false; // the fiber begins here, so none of its calls runs the loop
            }
            if ($call['function'] === 'run' && ($class === Loop::class || is_subclass_of($class, LoopInterface::class))) {
                return true;
            }
        }
        return false;
    }
}
