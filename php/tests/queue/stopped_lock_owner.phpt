--TEST--
larder: queue: while the owner of the queue's lock is stopped, a message stays with its object, and returns to the queue with the object's end
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix'); ?>
--FILE--
<?php
use Larder\Queue;

$q = Queue::open('work');
$ids = $q->pushMany(['a', 'b', 'c', 'd']);
[$a, $b, $c, $d] = $q->popMany(4);
if (($other = pcntl_fork()) === 0) {
    for (;;) {
        $q->clear();
        $q->push(str_repeat('x', 1000), 3600);
    }
}
/* Stops the other process while it has the lock. This process then waits 100 ms for the lock, in vain. */
for ($busy = false; !$busy; $busy = $busy && $q->push('y', 3600) === null) {
    posix_kill($other, SIGCONT);
    usleep(random_int(100, 2000));
    posix_kill($other, SIGSTOP);
    pcntl_waitpid($other, $status, WUNTRACED);
    $busy = $q->push('y', 3600) === null;
}
foreach (['ack', 'release', 'bury', 'touch'] as $method) {
    var_dump($a->$method(), $a->isReserved());
}
$start = microtime(true);
if (($waker = pcntl_fork()) === 0) {
    usleep(600000);
    posix_kill($other, SIGCONT);
    posix_kill($other, SIGKILL);
    posix_kill(getmypid(), SIGKILL);
}
unset($b);
var_dump(microtime(true) - $start > 0.3, $q->peek($ids[1])->state);
pcntl_waitpid($waker, $status);
pcntl_waitpid($other, $status);
var_dump($a->release(), $c->touch(), $c->bury(), $d->ack(), $q->peek($ids[0])->state, $q->info()->reserved);
?>
--EXPECT--
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
string(5) "ready"
bool(true)
bool(true)
bool(true)
bool(true)
string(5) "ready"
int(0)
