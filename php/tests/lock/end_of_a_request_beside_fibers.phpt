--TEST--
larder: lock: endRequest() waits for the locks of fibers only as long as a fiber has one
--EXTENSIONS--
larder
--INI--
log_errors=0
--FILE--
<?php
use Larder\VolatileCache;

function in_fiber(callable $call): Fiber
{
    $fiber = new Fiber($call);
    $fiber->start();
    return $fiber;
}
/* Returns how many locks endRequest() ends while the main program has a lock. */
function ended(string $key): int
{
    VolatileCache::lock($key);
    $ended = Larder\endRequest();
    VolatileCache::unlock($key);
    return $ended;
}

echo 'no fiber had a lock: ', ended('a'), "\n";
$fiber = in_fiber(function () {
    VolatileCache::lock('f');
    Fiber::suspend();
    VolatileCache::unlock('f');
    Fiber::suspend();
});
echo 'a fiber has one: ', ended('b'), "\n";
$fiber->resume();
echo 'it has unlocked: ', ended('c'), "\n";
in_fiber(fn() => VolatileCache::lock('forgotten'));
echo 'an ended fiber has forgotten one: ', ended('d'), "\n";
echo 'so main can have it: ', json_encode([VolatileCache::lock('forgotten'), VolatileCache::unlock('forgotten')]), "\n";
$leased = in_fiber(function () {
    VolatileCache::lock('leased', 0.1);
    Fiber::suspend();
    echo 'the fiber unlocks it: ', json_encode(VolatileCache::unlock('leased')), "\n";
});
usleep(300000);
VolatileCache::lock('other'); // does not end the fiber's lock
VolatileCache::unlock('other');
echo 'the lease of a fiber is over: ', ended('e') > 0 ? 'ended' : 'not ended', "\n";
$leased->resume();
--EXPECT--
no fiber had a lock: 1
a fiber has one: 0
it has unlocked: 1
an ended fiber has forgotten one: 2
so main can have it: [true,true]
the lease of a fiber is over: ended
the fiber unlocks it: false
