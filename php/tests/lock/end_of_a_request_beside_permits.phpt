--TEST--
larder: lock: endRequest() waits for the permits of fibers only as long as a fiber has one
--EXTENSIONS--
larder
--INI--
log_errors=0
--FILE--
<?php
use Larder\Semaphore;
use Larder\VolatileCache;

/* Returns how many locks endRequest() ends while the main program has a lock. */
function ended(string $key): int
{
    VolatileCache::lock($key);
    $ended = Larder\endRequest();
    VolatileCache::unlock($key);
    return $ended;
}

$fiber = new Fiber(function () {
    $first = Semaphore::acquire('s', 3);
    $second = Semaphore::acquire('s', 3);
    Fiber::suspend();
    $first->release();
    Fiber::suspend();
    unset($second);
    $leased = Semaphore::acquire('s', 3, lease: 60);
    Fiber::suspend();
    $leased->renew(0.05);
    usleep(200000);
    Fiber::suspend();
    echo 'renewed: ', json_encode($leased->renew(60)), "\n";
});
$fiber->start();
echo 'a fiber has two: ', ended('a'), "\n";
$fiber->resume();
echo 'it has one: ', ended('b'), "\n";
$fiber->resume();
echo 'it has one with a lease: ', ended('c'), "\n";
$fiber->resume();
echo 'whose lease is over: ', ended('d') > 0 ? 'ended' : 'not ended', "\n";
$fiber->resume();
--EXPECT--
a fiber has two: 0
it has one: 0
it has one with a lease: 0
whose lease is over: ended
renewed: false
