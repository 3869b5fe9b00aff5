<?php

declare(strict_types=1);

namespace Larder\Loop;

use React\EventLoop\Loop;

/**
 * Lets other fibers and the event loop of ReactPHP go on while a fiber waits for another process: in a function of React\Async\async(), or
 * any other fiber. Outside of fibers nothing can be suspended, so calls block there. Call install() once when the program starts.
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
        if ($fiber === null) {
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
}
