--TEST--
polyfill: endRequest() ends locks and says how many, but none of a fiber or within remember(); a wait for a broadcast lets fibers publish
--FILE--
<?php
use Larder\{Broadcast, PinnedCache, VolatileCache};

ini_set('log_errors', '1');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'larder'));
VolatileCache::lock('report');
var_dump(Larder\endRequest());
echo strstr(file_get_contents($log), 'Larder:');
unlink($log);
ini_restore('error_log');
VolatileCache::lock('report');
VolatileCache::lock('short', 0.001);
PinnedCache::lock('report', 60);
usleep(5000);
var_dump(VolatileCache::remember('k', fn() => Larder\endRequest()));
var_dump(Larder\endRequest(), Larder\endRequest(), VolatileCache::lock('report'), PinnedCache::lock('report'));
var_dump(Larder\endRequest());
$fiber = new Fiber(function () {
    VolatileCache::lock('of a fiber');
    Fiber::suspend();
});
$fiber->start();
VolatileCache::lock('mine');
var_dump(Larder\endRequest(), VolatileCache::unlock('of a fiber'), Larder\endRequest());

$flags = Broadcast::open('flags');
$start = hrtime(true);
var_dump($flags->wait(0, 0.02), hrtime(true) - $start >= 2e7);
Larder\waitWith(fn() => Fiber::getCurrent() !== null && (Fiber::suspend() ?? true));
$waits = new Fiber(fn() => $flags->wait(0, 600));
$waits->start();
$flags->publish('go');
$waits->resume();
var_dump($waits->getReturn(), $flags->value);
--EXPECT--
int(1)
Larder: a worker's request has ended with 1 key locked, which is unlocked now. This is logged once
int(0)
int(2)
int(0)
bool(true)
bool(true)
int(2)
int(0)
bool(true)
int(1)
bool(false)
bool(true)
bool(true)
string(2) "go"
