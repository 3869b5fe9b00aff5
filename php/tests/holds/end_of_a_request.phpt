--TEST--
larder: holds: endRequest() ends forgotten locks, counts and logs them, and keeps what is used
--INI--
larder.volatile_size=64M
log_errors=1
error_log=
--FILE--
<?php
use Larder\VolatileCache as Cache;

Cache::set('kept', range(1, 50));
$kept = Cache::get('kept');
var_dump(Larder\endRequest());
Cache::lock('one');
Cache::lock('two');
Cache::lock('three');
Cache::unlock('three');
var_dump(Larder\endRequest(), Larder\endRequest());
var_dump(Cache::unlock('one'), Cache::lock('one'));
var_dump(Cache::remember('computed', function () {
    return Larder\endRequest(); /* must not end the reservation of remember(), or the lock of this request */
}));
var_dump(Cache::unlock('one'));
for ($i = 0; $i < 500; $i++) {
    Cache::set('kept', [$i]);
}
var_dump($kept === range(1, 50));

// while a fiber has a permit, endRequest() ends no lock
use Larder\Semaphore;
$fiber = new Fiber(function () {
    $permit = Semaphore::acquire('export', 1);
    Fiber::suspend();
    var_dump($permit->release());
});
$fiber->start();
Cache::lock('one');
var_dump(Larder\endRequest(), Semaphore::count('export', 1));
$fiber->resume();
var_dump(Larder\endRequest(), Semaphore::count('export', 1));
$forgotten = Semaphore::acquire('export', 1);
var_dump(Larder\endRequest(), $forgotten->release());
?>
--EXPECTF--
int(0)
%ALarder: a worker's request has ended with 2 keys locked, which are unlocked now. This is logged once per thread
int(2)
int(0)
bool(false)
bool(true)
int(0)
bool(true)
bool(true)
int(0)
int(1)
bool(true)
int(1)
int(0)
int(1)
bool(false)
