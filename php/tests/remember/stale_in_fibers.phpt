--TEST--
larder: remember: with $stale one fiber computes while the rest of the program gets the old value
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

for ($ttl = 0.1; ; $ttl *= 2) { /* try again with a longer time until the machine is quick enough */
    $start = hrtime(true);
    VolatileCache::delete('k');
    VolatileCache::remember('k', fn() => 'old', $ttl, 10000);
    $early = VolatileCache::remember('k', fn() => 'too early', $ttl, 10000);
    if (hrtime(true) - $start < $ttl * 1e9) break;
}
var_dump($early);
usleep((int) ($ttl * 1.5e6));
$computes = new Fiber(fn() => VolatileCache::remember('k', function () { Fiber::suspend(); return 'new'; }, 10000, 10000));
$computes->start();
$get = fn() => VolatileCache::remember('k', fn() => 'unused', 10000, 10000);
$other = new Fiber($get);
$other->start();
var_dump($get(), $other->getReturn(), VolatileCache::get('k'));
$computes->resume();
var_dump($computes->getReturn(), $get());
--EXPECT--
string(3) "old"
string(3) "old"
string(3) "old"
string(3) "old"
string(3) "new"
string(3) "new"
