--TEST--
larder: waitWith(): destructors that the garbage collector calls wait without the function where no fiber may be switched
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
if (PHP_VERSION_ID >= 80400) die('skip since PHP 8.4 the collector calls destructors in a fiber of its own'); ?>
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
        $popped = Queue::open('nothing comes')->pop(0.02);
        echo json_encode($popped), ' ', VolatileCache::remember('k', fn() => 'computed here'), "\n";
    }
}
VolatileCache::delete('k');
$pid = pcntl_fork();
if ($pid === 0) { // the child computes the value for which the destructor waits
    VolatileCache::remember('k', function () {
        VolatileCache::set('computes', true);
        usleep(200000);
        return 'of the other process';
    });
    posix_kill(getmypid(), SIGKILL);
}
while (VolatileCache::get('computes') !== true) usleep(500);
Larder\waitWith(function (float $seconds) {
    if (Fiber::getCurrent() === null) return false;
    Fiber::suspend();
});
$fiber = new Fiber(function () {
    new Waits();
    gc_collect_cycles();
    return 'collected';
});
for ($fiber->start(); !$fiber->isTerminated(); usleep(1000)) $fiber->resume();
echo $fiber->getReturn(), "\n";
pcntl_waitpid($pid, $status);
--EXPECT--
null of the other process
collected
