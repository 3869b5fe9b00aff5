--TEST--
larder: queue: a push that waits in the function of waitWith() counts as refused once, and only if it found no room in the end
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$pauses = 0;
$pause = function (float $seconds) use (&$pauses): void {
    usleep((int) ($seconds * 1e6));
    $pauses++;
};
Larder\waitWith($pause);

$q = Queue::open('small', 1);
$q->push('first');
/* A refused push must count once, even if it paused several times. If the machine is busy, try again with a longer time. */
foreach ([fn(float $wait) => $q->push('second', wait: $wait), fn(float $wait) => $q->pushMany(['second', 'third'], wait: $wait)] as $push) {
    for ($wait = 0.05; $wait < 100; $wait *= 2) {
        [$before, $pauses] = [$q->info()->refused, 0];
        $pushed = $push($wait);
        if ($pauses > 1) break;
    }
    var_dump($pushed, $q->info()->refused - $before, $pauses > 1);
}
$before = $q->info()->refused;

// the queue gets room before the wait ends, so nothing is refused
Larder\waitWith(function () use ($q, &$pauses): void {
    if (++$pauses % 3 === 0) $q->pop()->ack();
});
var_dump($q->push('second', wait: 60) !== null, $q->info()->refused - $before);

// an exception ends the wait: nothing is refused
Larder\waitWith(fn() => throw new Exception('stop'));
try {
    $q->push('third', wait: 60);
} catch (Exception $e) {
    var_dump($e->getMessage(), $q->info()->refused - $before);
}

// the function returns false, which means that it has not waited, so push() itself sleeps
Larder\waitWith(fn() => false);
var_dump($q->push('third', wait: 0.05), $q->info()->refused - $before);
?>
--EXPECT--
NULL
int(1)
bool(true)
array(0) {
}
int(1)
bool(true)
bool(true)
int(0)
string(4) "stop"
int(0)
NULL
int(1)
