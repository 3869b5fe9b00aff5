<?php

/*
 * coordination.php - compares CPU times: reading a broadcast with reading a static property, throttle() and compareAndSet() with
 * increment(), take() with delete(), and a semaphore with a lock. Figures are medians of interleaved rounds, without the time of the loop.
 *   php -n -d zend_extension=opcache -d opcache.enable_cli=1 -d extension=php/modules/larder.so bench/php/coordination.php [ROUNDS]
 */

declare(strict_types=1);

use Larder\Broadcast;
use Larder\Semaphore;
use Larder\VolatileCache;

final class Config
{
    /** @var array<string, mixed> */
    public static array $value = ['a' => [1, 2]];
}

/** @return array<string, callable(int): void> */
function jobs(): array
{
    $broadcast = Broadcast::open('bench');
    $broadcast->publish(['a' => [1, 2]]);
    return [
        'empty' => function (int $n): void { for (; $n > 0; $n--) { } },
        'static property' => function (int $n): void { for (; $n > 0; $n--) { $x = Config::$value; } },
        'broadcast' => function (int $n) use ($broadcast): void { for (; $n > 0; $n--) { $x = $broadcast->value; } },
        'increment' => function (int $n): void { for (; $n > 0; $n--) { $x = VolatileCache::increment('n', 1, 3600); } },
        'throttle' => function (int $n): void { for (; $n > 0; $n--) { $x = VolatileCache::throttle('t', 1000000000, 1); } },
        'set and delete' => function (int $n): void { for (; $n > 0; $n--) { VolatileCache::set('d', 'token'); $x = VolatileCache::delete('d'); } },
        'set and take' => function (int $n): void { for (; $n > 0; $n--) { VolatileCache::set('d', 'token'); $x = VolatileCache::take('d'); } },
        'compareAndSet' => function (int $n): void { VolatileCache::set('c', $n); for (; $n > 0; $n--) { $x = VolatileCache::compareAndSet('c', $n, $n - 1); } },
        'lock and unlock' => function (int $n): void { for (; $n > 0; $n--) { VolatileCache::lock('l'); VolatileCache::unlock('l'); } },
        'acquire and release' => function (int $n): void { for (; $n > 0; $n--) { Semaphore::acquire('s', 8)?->release(); } },
    ];
}

function cpu(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
}

$times = [];
$beside = ['broadcast' => 'static property', 'throttle' => 'increment', 'compareAndSet' => 'increment', 'set and take' => 'set and delete', 'acquire and release' => 'lock and unlock'];
for ($round = 0; $round < (int) ($argv[1] ?? 15); $round++) {
    foreach (jobs() as $name => $job) {
        $from = cpu();
        $job(200000);
        $times[$name][] = (cpu() - $from) / 200000;
    }
}
$median = static function (array $values): float {
    sort($values);
    return $values[intdiv(count($values), 2)];
};
$empty = $median($times['empty']);
foreach ($times as $name => $values) {
    $ns = $median($values) - $empty;
    $base = isset($beside[$name]) ? $median($times[$beside[$name]]) - $empty : null;
    printf("%-22s %7.1f ns%s\n", $name, $ns, $base !== null ? sprintf('  %.2f times %s', $ns / $base, $beside[$name]) : '');
}
