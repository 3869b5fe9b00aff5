--TEST--
larder: lock: a lock belongs to the fiber that took it: no other one, nor main, ends it or takes it
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

$pool = VolatileCache::pool('of fibers');
$caches = [
    'volatile' => [VolatileCache::lock(...), VolatileCache::unlock(...)],
    'pinned' => [PinnedCache::lock(...), PinnedCache::unlock(...)],
    'pool' => [$pool->lock(...), $pool->unlock(...)],
];
$try = function (callable $call): bool { // runs the call in a new fiber
    $fiber = new Fiber($call);
    $fiber->start();
    return $fiber->getReturn();
};
foreach ($caches as $name => [$lock, $unlock]) {
    $first = new Fiber(function () use ($lock, $unlock) {
        $had = [$lock('k')];
        Fiber::suspend();
        return [...$had, $unlock('k'), $unlock('k')];
    });
    $first->start();
    $others = [$try(fn() => $unlock('k')), $try(fn() => $lock('k')), $unlock('k'), $lock('k')];
    $first->resume();
    echo $name, ': ', json_encode([$others, $first->getReturn(), $lock('k')]), "\n";
    echo 'of main: ', json_encode([$try(fn() => $unlock('k')), $try(fn() => $lock('k')), $unlock('k'), $try(fn() => $lock('k') && $unlock('k'))]), "\n";
    // A lease ends. Then another fiber takes the lock, and then the main program.
    $first = new Fiber(function () use ($lock, $unlock) { $had = $lock('l', 0.001); Fiber::suspend(); return [$had, $unlock('l')]; });
    $second = new Fiber(function () use ($lock, $unlock) { while (!$lock('l', 0.001)) usleep(1000); Fiber::suspend(); return $unlock('l'); });
    $first->start();
    $second->start();
    while (!$lock('l')) usleep(1000);
    $first->resume();
    $second->resume();
    echo 'leases: ', json_encode([$first->getReturn(), $second->getReturn(), $unlock('l')]), "\n";
}
$left = new Fiber(fn() => VolatileCache::lock('left'));
$left->start();
echo 'the fiber has ended: ', json_encode([VolatileCache::lock('left'), VolatileCache::unlock('left')]), "\n";
--EXPECT--
volatile: [[false,false,false,false],[true,true,false],true]
of main: [false,false,true,true]
leases: [[true,false],false,true]
pinned: [[false,false,false,false],[true,true,false],true]
of main: [false,false,true,true]
leases: [[true,false],false,true]
pool: [[false,false,false,false],[true,true,false],true]
of main: [false,false,true,true]
leases: [[true,false],false,true]
the fiber has ended: [false,false]
