<?php

declare(strict_types=1);

namespace Bench\Report;

/** One colour for each system in all charts, legible on light and on dark. */
final class Colors
{
    private const OF = [
        'larder' => '#0f8a7e', 'larder-pinned' => '#62bdb3', 'fake' => '#9a9a94', 'file' => '#b08d57', 'apcu' => '#e08a1e',
        'memcached' => '#5b8c3a', 'redis' => '#cf4436', 'predis' => '#e59a92', 'apcu default' => '#f0b45f',
        'apcu php' => '#c99a5b', 'apcu igbinary' => '#e08a1e', 'LRU' => '#8a7cc4', 'CLOCK' => '#b8a9d9', '2-random' => '#9a9a94',
    ];
    private const OTHERS = ['#0f8a7e', '#8a7cc4', '#e08a1e', '#5b8c3a', '#cf4436'];

    public static function of(string $name, int $number): string
    {
        return self::OF[$name] ?? self::OTHERS[$number % count(self::OTHERS)];
    }
}
