--TEST--
larder: lock: a lock that an ended fiber has forgotten is not the next fiber's, although that has its memory
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

$run = function (callable $call): mixed {
    $fiber = new Fiber($call);
    $fiber->start();
    return $fiber->getReturn();
};
foreach (['volatile' => VolatileCache::class, 'pinned' => PinnedCache::class] as $name => $cache) {
    $answers = [$run(fn() => $cache::lock('k'))];
    for ($i = 0; $i < 20; $i++) {
        $answers[] = $run(fn() => $cache::unlock('k'));
        $answers[] = $run(fn() => $cache::lock('k'));
    }
    $answers[] = $cache::unlock('k');
    echo $name, ': ', count(array_keys($answers, true, true)), ' of ', count($answers), "\n";
    // When the lease has ended, $second gets the lock. After that, only $second can unlock the key.
    $run(fn() => $cache::lock('l', 0.001));
    $second = new Fiber(function () use ($cache) {
        while (!$cache::lock('l')) usleep(1000);
        Fiber::suspend();
        return $cache::unlock('l');
    });
    $second->start();
    echo 'of the second: ', json_encode($run(fn() => $cache::unlock('l')));
    $second->resume();
    echo ' ', json_encode($second->getReturn()), "\n";
}
--EXPECT--
volatile: 1 of 42
of the second: false true
pinned: 1 of 42
of the second: false true
