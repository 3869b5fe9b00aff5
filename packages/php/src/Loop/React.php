<?php

declare(strict_types=1);

namespace Larder\Loop;

use React\EventLoop\Loop;
use React\EventLoop\LoopInterface;

/**
 * Lets other fibers and the event loop of ReactPHP run while a fiber waits for another process. Any fiber can do this, for example the
 * fiber in which React\Async\async() runs a function. Outside of fibers, a wait blocks the process, because nothing can be suspended. Call
 * install() once, when the program starts.
 */
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

    /**
     * Returns true if the current fiber runs the event loop itself, as a fiber of React\Async\await() does. Suspending it would stop the
     * loop, so nothing would resume the fiber.
     */
    private static function isLoops(): bool
    {
        foreach (debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS) as $call) {
            $class = $call['class'] ?? '';
            if ($class === \Fiber::class) {
                return false; // all calls inside the fiber were checked, and none of them runs the loop
            }
            if ($call['function'] === 'run' && ($class === Loop::class || is_subclass_of($class, LoopInterface::class))) {
                return true;
            }
        }
        return false;
    }
}
