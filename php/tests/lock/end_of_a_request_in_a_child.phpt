--TEST--
larder: lock: a fiber that a forked child has inherited has neither lock nor permit there
--EXTENSIONS--
larder
pcntl
--INI--
log_errors=0
--FILE--
<?php
use Larder\Semaphore;
use Larder\VolatileCache;

$fiber = new Fiber(function () {
    VolatileCache::lock('of the fiber');
    $permit = Semaphore::acquire('s', 1);
    Fiber::suspend();
    return $permit->release();
});
$fiber->start();
VolatileCache::lock('of the parent');
if (($child = pcntl_fork()) === 0) {
    VolatileCache::lock('of the child');
    echo 'in the child: ', Larder\endRequest(), "\n";
    exit(0);
}
pcntl_waitpid($child, $status);
echo 'in the parent: ', Larder\endRequest(), "\n";
$fiber->resume();
echo 'its permit: ', json_encode($fiber->getReturn()), "\n";
--EXPECT--
in the child: 1
in the parent: 0
its permit: true
