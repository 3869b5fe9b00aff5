<?php

declare(strict_types=1);

namespace Larder\Loop;

use Revolt\EventLoop;

/** Lets other fibers of Revolt (as in AMPHP) run while a fiber waits for another process. Call install() when the program starts. */
final class Revolt
{
    public static function install(): void
    {
        \Larder\waitWith(self::wait(...));
    }

    public static function wait(float $seconds): bool
    {
        $suspension = EventLoop::getSuspension();
        $timer = EventLoop::delay($seconds, static function () use ($suspension): void {
            $suspension->resume();
        });
        try {
            $suspension->suspend();
        } finally {
            EventLoop::cancel($timer);
        }
        return true;
    }
}
