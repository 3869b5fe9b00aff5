--TEST--
larder: queue: touch() lets the time that a message was popped with begin anew; a number, or 0 for no limit, is another
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$q = Queue::open('work');
foreach ([
    'popped with 0.1' => [0.1],
    'popped with 0.1, touch()' => [0.1, []],
    'popped with 0.1, touch(null)' => [0.1, [null]],
    'popped with 0.1, touch(60)' => [0.1, [60]],
    'popped with 0.1, touch(60), touch()' => [0.1, [60], []],
    'popped with 0.1, touch(0)' => [0.1, [0]],
    'popped with 0.1, touch(0), touch()' => [0.1, [0], []],
    'popped with 60, touch(0.1)' => [60, [0.1]],
    'popped with 60, touch(0.1), touch()' => [60, [0.1], []],
    'popped without a limit, touch()' => [0, []],
    'popped without a limit, touch(0.1)' => [0, [0.1]],
    'popped without a limit, touch(0.1), touch()' => [0, [0.1], []],
] as $what => $how) {
    $run = array_shift($how);
    do { // try again until this process was quick enough
        $q->clear();
        $q->push('x');
        $message = $q->pop(0, $run);
        $quick = true;
        foreach ($how as $touch)
            $quick = $message->touch(...$touch) && $quick;
    } while (!$quick);
    usleep(150000);
    echo "$what: ", $q->info()->reserved === 0 ? 'over' : 'goes on', ', ack ', json_encode($message->ack()), "\n";
}
do { // try again until this process was quick enough
    $q->clear();
    $q->push('x');
    $start = hrtime(true);
    $message = $q->pop(0, 1);
    usleep(600000);
    $touched = $message->touch();
    usleep(600000);
    $reserved = $q->info()->reserved;
} while (hrtime(true) - $start > 15e8);
var_dump($touched, $reserved, $message->ack());
foreach ([-1, NAN] as $bad) {
    try {
        $q->push('x');
        $q->pop(0, 60)->touch($bad);
    } catch (ValueError $error) {
        echo $error->getMessage(), "\n";
    }
}
$parameter = (new ReflectionMethod(Larder\Message::class, 'touch'))->getParameters()[0];
echo $parameter->getType(), ' $', $parameter->getName(), ' = ', var_export($parameter->getDefaultValue(), true), "\n";
--EXPECT--
popped with 0.1: over, ack false
popped with 0.1, touch(): over, ack false
popped with 0.1, touch(null): over, ack false
popped with 0.1, touch(60): goes on, ack true
popped with 0.1, touch(60), touch(): over, ack false
popped with 0.1, touch(0): goes on, ack true
popped with 0.1, touch(0), touch(): over, ack false
popped with 60, touch(0.1): over, ack false
popped with 60, touch(0.1), touch(): goes on, ack true
popped without a limit, touch(): goes on, ack true
popped without a limit, touch(0.1): over, ack false
popped without a limit, touch(0.1), touch(): goes on, ack true
bool(true)
int(1)
bool(true)
Larder\Message::touch(): Argument #1 ($timeToRun) must be greater than or equal to 0
Larder\Message::touch(): Argument #1 ($timeToRun) must be a finite number of seconds
int|float|null $timeToRun = NULL
