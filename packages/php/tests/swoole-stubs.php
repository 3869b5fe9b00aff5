<?php

/* For PHPStan: the functions of Swoole that Larder\Loop\Swoole calls. */

declare(strict_types=1);

namespace Swoole;

class Coroutine
{
    public static function getCid(): int {}

    public static function sleep(float $seconds): bool {}
}
