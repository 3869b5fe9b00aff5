--TEST--
larder: remember: a fiber that waits for another fiber's value counts one miss, and each call for an old value a hit
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

/** Calls $first and $second in fibers that suspend in turn. Returns their results, and how many hits and misses they add. */
function counted(string $cache, Closure $first, Closure $second): string
{
    $before = $cache::info();
    $fibers = [new Fiber($first), new Fiber($second)];
    foreach ($fibers as $fiber) $fiber->start();
    while (array_filter($fibers, fn($fiber) => !$fiber->isTerminated()) !== []) {
        foreach ($fibers as $fiber) if (!$fiber->isTerminated()) $fiber->resume();
    }
    $after = $cache::info();
    return implode(', ', array_map(fn($fiber) => $fiber->getReturn(), $fibers)) . ': '
        . ($after->hits - $before->hits) . ' hits, ' . ($after->misses - $before->misses) . " misses\n";
}
Larder\waitWith(function (float $seconds): bool {
    if (Fiber::getCurrent() === null) return false;
    Fiber::suspend();
    return true;
});
$slow = function (): string { Fiber::suspend(); Fiber::suspend(); return 'one'; };
foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    echo counted($cache, fn() => $cache::remember('k', $slow), fn() => $cache::remember('k', fn() => 'two'));
}
VolatileCache::remember('old', fn() => 'old', 1, 1000);
echo counted(VolatileCache::class, fn() => VolatileCache::remember('old', $slow, 1, 2000), fn() => VolatileCache::remember('old', fn() => 'two', 1, 2000));
--EXPECT--
one, one: 0 hits, 2 misses
one, one: 0 hits, 2 misses
one, old: 2 hits, 0 misses
