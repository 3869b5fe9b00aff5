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
var_dump($q->push('second', wait: 0.05), $q->info()->refused, $pauses > 1);
var_dump($q->pushMany(['second', 'third'], wait: 0.05), $q->info()->refused);

// there is room before the wait ends
Larder\waitWith(function () use ($q, &$pauses): void {
    if (++$pauses % 3 === 0) $q->pop()->ack();
});
var_dump($q->push('second', wait: 60) !== null, $q->info()->refused);

// an exception ends the wait: nothing is refused
Larder\waitWith(fn() => throw new Exception('stop'));
try {
    $q->push('third', wait: 60);
} catch (Exception $e) {
    var_dump($e->getMessage(), $q->info()->refused);
}

// the function does not wait, so the call sleeps
Larder\waitWith(fn() => false);
var_dump($q->push('third', wait: 0.05), $q->info()->refused);
?>
--EXPECT--
NULL
int(1)
bool(true)
array(0) {
}
int(2)
bool(true)
int(2)
string(4) "stop"
int(2)
NULL
int(3)
