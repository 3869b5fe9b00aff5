--TEST--
larder: waitWith(): in a destructor that the garbage collector calls, a wait for a message sleeps, and a value of another fiber is computed
--EXTENSIONS--
larder
--SKIPIF--
<?php if (PHP_VERSION_ID >= 80400) die('skip since PHP 8.4 the collector calls destructors in a fiber of its own'); ?>
--FILE--
<?php
use Larder\{Queue, VolatileCache};

/* Each object refers to itself, so only the cycle collector destroys it. */
class Waits
{
    public $self;
    public function __construct() { $this->self = $this; }
    public function __destruct()
    {
        $start = hrtime(true);
        $popped = Queue::open('nothing comes')->pop(0.02);
        echo json_encode([$popped, hrtime(true) - $start >= 2e7]), ' ', VolatileCache::remember('k', fn() => 'computed here'), "\n";
    }
}
$computes = new Fiber(fn() => VolatileCache::remember('k', function () {
    Fiber::suspend();
    return 'of the other fiber';
}));
$computes->start();
Larder\waitWith(function (float $seconds) {
    if (Fiber::getCurrent() === null) return false;
    Fiber::suspend();
});
$fiber = new Fiber(function () {
    new Waits();
    gc_collect_cycles();
    return 'collected';
});
for ($fiber->start(); !$fiber->isTerminated();) $fiber->resume();
$computes->resume();
echo $fiber->getReturn(), ', ', $computes->getReturn(), "\n";
--EXPECT--
[null,true] computed here
collected, of the other fiber
