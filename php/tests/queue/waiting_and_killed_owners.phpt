--TEST--
larder: queue: waiting, killed owners, ended requests
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix'); ?>
--FILE--
<?php
use Larder\Queue;

$q = Queue::open('work');
$back = Queue::open('back');
function take(Queue $q): mixed
{
    $m = $q->pop(300);
    $m->ack();
    return $m->body;
}
function child(callable $do): int
{
    if (($pid = pcntl_fork()) === 0) {
        $do();
        posix_kill(getmypid(), SIGKILL);
    }
    return $pid;
}

echo "-- a waiting consumer is woken\n";
$pid = child(fn () => $back->push('got ' . take($q)));
$q->push('this');
var_dump(take($back));
pcntl_waitpid($pid, $status);

echo "-- killed with a message: it is ready again\n";
$q->clear();
$q->push('precious');
$pid = child(function () use ($q, $back) {
    $m = $q->pop();
    $back->push("have {$m->body}");
    sleep(300);
});
var_dump(take($back), $q->pop(), $q->info()->reserved);
posix_kill($pid, SIGKILL);
$m = $q->pop(300);
var_dump($m->body, $m->attempts, $q->info()->returned);
pcntl_waitpid($pid, $status);
$m->ack();

echo "-- a fork has not what its parent had reserved, nor when it has reserved the same message again\n";
$q->push('twice');
$pid = child(function () use ($q, $back) {
    $m = $q->pop();
    child(function () use ($m, $q, $back) {
        $back->push(getmypid());
        $own = $q->pop(300);
        $before = [$m->isReserved(), $m->release(), $m->ack()];
        unset($m);
        $back->push([...$before, $own->isReserved(), $own->ack()]);
    });
    sleep(300);
});
take($back);
posix_kill($pid, SIGKILL);
var_dump(json_encode(take($back)));
pcntl_waitpid($pid, $status);

echo "-- the end of a request gives the message back\n";
$q->push('task');
$pid = child(function () use ($q) {
    $m = $q->pop();
    exit(0);
});
pcntl_waitpid($pid, $status);
$m = $q->pop();
var_dump($m->attempts, $m->ack());

echo "-- signals end a wait\n";
pcntl_async_signals(true);
$signals = 0;
pcntl_signal(SIGUSR1, function () use (&$signals) { $signals++; });
$q->clear();
$parent = getmypid();
$pid = child(function () use ($parent, $back) { for (;;) { posix_kill($parent, SIGUSR1); if ($back->pop(1)) break; } });
var_dump($q->pop(300), $signals > 0);
pcntl_signal(SIGUSR1, SIG_IGN);
$back->clear();
$back->push('enough');
pcntl_waitpid($pid, $status);
$small = Queue::open('small', 1);
$small->push(1);
$pid = child(function () use ($small) { usleep(20000); $small->pop()->ack(); });
var_dump($small->push(2, wait: 300) !== null);
pcntl_waitpid($pid, $status);
--EXPECT--
-- a waiting consumer is woken
string(8) "got this"
-- killed with a message: it is ready again
string(13) "have precious"
NULL
int(1)
string(8) "precious"
int(2)
int(1)
-- a fork has not what its parent had reserved, nor when it has reserved the same message again
string(29) "[false,false,false,true,true]"
-- the end of a request gives the message back
int(2)
bool(true)
-- signals end a wait
NULL
bool(true)
bool(true)
