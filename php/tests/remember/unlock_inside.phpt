--TEST--
larder: remember: unlock() within $compute() leaves remember()'s own reservation, so that waiters do not compute; a lock of the caller ends
--EXTENSIONS--
larder
pcntl
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
    foreach (["calls $name", "ready $name", "unlocked $name"] as $count) VolatileCache::set($count, 0);
    for ($i = 0; $i < 4; $i++) {
        if (pcntl_fork() !== 0) continue;
        VolatileCache::increment("ready $name");
        while (VolatileCache::get("ready $name") < 4) usleep(100);
        $remember('k', function () use ($name, $unlock) {
            VolatileCache::increment("calls $name");
            if ($unlock('k')) VolatileCache::increment("unlocked $name");
            usleep(300000);
            return 'computed';
        });
        exit(0);
    }
    while (pcntl_wait($status) > 0);
    echo "$name: ", VolatileCache::get("calls $name"), ' computed, ', VolatileCache::get("unlocked $name"), " unlocked\n";
    var_dump($lock('k'), $unlock('k'), $unlock('k')); // it has ended with the call

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
volatile: 1 computed, 0 unlocked
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
pinned: 1 computed, 0 unlocked
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
pool: 1 computed, 0 unlocked
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
