<?php

declare(strict_types=1);

namespace Larder\Loop;

use Swoole\Coroutine;

/** Lets other coroutines of Swoole run while a coroutine waits for another process. Call install() when a worker starts. */
final class Swoole
{
    public static function install(): void
    {
        \Larder\waitWith(self::wait(...));
    }

    public static function wait(float $seconds): bool
    {
        if (Coroutine::getCid() < 0) {
            return false;
        }
        Coroutine::sleep(max($seconds, 0.001)); // Coroutine::sleep() accepts no shorter time
        return true;
    }
}
