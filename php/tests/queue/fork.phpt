--TEST--
larder: queue: a fork has not what its parent has reserved, and its end leaves the message reserved
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl')) die('skip needs pcntl'); ?>
--FILE--
<?php
use Larder\Queue;

/** Runs a function in a forked process, and prints its result. */
function child(callable $do): void
{
    if (($pid = pcntl_fork()) === 0) {
        echo 'child: ', json_encode($do()), "\n";
        exit;
    }
    pcntl_waitpid($pid, $status);
}
$q = Queue::open('work');
$q->push('inherited');
$q->push('own');
$m = $q->pop();
child(fn() => [$m->isReserved(), $m->ack(), $m->release(), $m->bury(), $m->touch()]);
var_dump($m->isReserved(), $q->info()->reserved);
child(function () use ($m, $q) {
    $own = $q->pop();
    $answers = [$own->body, $m->isReserved(), $own->isReserved(), $own->ack(), $own->isReserved()];
    unset($m);
    return $answers;
});
var_dump($m->isReserved(), $m->ack(), $m->isReserved());
--EXPECT--
child: [false,false,false,false,false]
bool(true)
int(1)
child: ["own",false,true,true,false]
bool(true)
bool(true)
bool(false)
