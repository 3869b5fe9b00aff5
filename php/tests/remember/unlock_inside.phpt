--TEST--
larder: remember: unlock() within $compute() leaves remember()'s own reservation, and ends a lock of the caller
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

$pool = VolatileCache::pool('of one');
$caches = [
    'volatile' => [VolatileCache::remember(...), VolatileCache::unlock(...), VolatileCache::lock(...)],
    'pinned' => [PinnedCache::remember(...), PinnedCache::unlock(...), PinnedCache::lock(...)],
    'pool' => [$pool->remember(...), $pool->unlock(...), $pool->lock(...)],
];
$pool->set('there is one', 1);
foreach ($caches as $name => [$remember, $unlock, $lock]) {
    echo "$name\n";
    var_dump($remember('k', fn() => $unlock('k')));
    var_dump($lock('k'), $unlock('k'), $unlock('k')); // the lock of remember() ended with the call

    $lock('mine');
    var_dump($remember('mine', fn() => $unlock('mine')), $unlock('mine'));
    var_dump($remember('other', fn() => [$lock('mine'), $unlock('mine'), $unlock('other')]));
}

echo "stale\n";
VolatileCache::remember('stale', fn() => 'old', 0.001, 60);
usleep(5000);
var_dump(VolatileCache::remember('stale', fn() => VolatileCache::unlock('stale'), 1, 60));

echo "another fiber\n";
$computes = new Fiber(fn() => VolatileCache::remember('fiber', function () { Fiber::suspend(); return VolatileCache::unlock('fiber'); }));
$computes->start();
var_dump(VolatileCache::unlock('fiber'), VolatileCache::remember('fiber', fn() => VolatileCache::unlock('fiber')));
$computes->resume();
var_dump($computes->getReturn());

echo "an exception\n";
try { VolatileCache::remember('thrown', fn() => throw new Exception); } catch (Exception) { }
var_dump(VolatileCache::lock('thrown'), VolatileCache::unlock('thrown'));
--EXPECT--
volatile
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
array(3) {
  [0]=>
  bool(true)
  [1]=>
  bool(true)
  [2]=>
  bool(false)
}
pinned
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
array(3) {
  [0]=>
  bool(true)
  [1]=>
  bool(true)
  [2]=>
  bool(false)
}
pool
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
array(3) {
  [0]=>
  bool(true)
  [1]=>
  bool(true)
  [2]=>
  bool(false)
}
stale
bool(false)
another fiber
bool(false)
bool(false)
bool(false)
an exception
bool(true)
bool(true)
