--TEST--
larder: remember: each call counts once: a hit, or a miss where it computes
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\{VolatileCache, PinnedCache};

/* Returns how many hits and misses a function adds. */
function counted(string $cache, callable $do): string
{
    $before = $cache::info();
    $do();
    $after = $cache::info();
    return $after->hits - $before->hits . ' hits, ' . ($after->misses - $before->misses) . " misses\n";
}

foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    echo 'cold: ', counted($cache, fn() => $cache::remember('k', fn() => [1]));
    echo 'warm: ', counted($cache, fn() => $cache::remember('k', fn() => [2]));
    echo 'throws: ', counted($cache, function () use ($cache) { try { $cache::remember('none', fn() => throw new Exception); } catch (Exception) { } });
}
echo 'stale: ', counted(VolatileCache::class, fn() => VolatileCache::remember('s', fn() => 1, 1, 100)), counted(VolatileCache::class, fn() => VolatileCache::remember('s', fn() => 2, 1, 1000));
$pool = VolatileCache::pool('p');
$pool->remember('k', fn() => [1]);
$pool->remember('k', fn() => [2]);
echo 'pool: ', $pool->info()->hits, ' hits, ', $pool->info()->misses, " misses\n";
--EXPECT--
cold: 0 hits, 1 misses
warm: 1 hits, 0 misses
throws: 0 hits, 1 misses
cold: 0 hits, 1 misses
warm: 1 hits, 0 misses
throws: 0 hits, 1 misses
stale: 0 hits, 1 misses
1 hits, 0 misses
pool: 1 hits, 1 misses
