--TEST--
larder: errors: bad times are ValueErrors that name the argument
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', 'old');
foreach ([-1, -0.5, NAN, INF, -INF, PHP_INT_MIN] as $t) {
    foreach ([fn() => VolatileCache::set('k', 1, $t), fn() => VolatileCache::touch('k', $t), fn() => VolatileCache::lock('k', $t), fn() => VolatileCache::increment('n', 1, $t), fn() => VolatileCache::remember('r', fn() => 1, 1, $t), fn() => VolatileCache::setMultiple(['k' => 1], $t)] as $f)
        try { $f(); echo "accepted\n"; } catch (ValueError $e) { $seen[$e->getMessage()] = 1; }
}
ksort($seen); echo implode("\n", array_keys($seen)), "\n";
var_dump(VolatileCache::get('k'));
--EXPECT--
Larder\VolatileCache::increment(): Argument #3 ($ttl) must be a finite number of seconds
Larder\VolatileCache::increment(): Argument #3 ($ttl) must be greater than or equal to 0
Larder\VolatileCache::lock(): Argument #2 ($lease) must be a finite number of seconds
Larder\VolatileCache::lock(): Argument #2 ($lease) must be greater than or equal to 0
Larder\VolatileCache::remember(): Argument #4 ($stale) must be a finite number of seconds
Larder\VolatileCache::remember(): Argument #4 ($stale) must be greater than or equal to 0
Larder\VolatileCache::set(): Argument #3 ($ttl) must be a finite number of seconds
Larder\VolatileCache::set(): Argument #3 ($ttl) must be greater than or equal to 0
Larder\VolatileCache::setMultiple(): Argument #2 ($ttl) must be a finite number of seconds
Larder\VolatileCache::setMultiple(): Argument #2 ($ttl) must be greater than or equal to 0
Larder\VolatileCache::touch(): Argument #2 ($ttl) must be a finite number of seconds
Larder\VolatileCache::touch(): Argument #2 ($ttl) must be greater than or equal to 0
string(3) "old"
