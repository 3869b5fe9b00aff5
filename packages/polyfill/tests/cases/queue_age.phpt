--TEST--
polyfill: the oldest ready message has waited since its push, the end of its delay, or a kick
--FILE--
<?php
use Larder\Queue;

$queue = Queue::open('q');
var_dump($queue->info()->oldest);
$queue->push('buried');
$queue->pop()->bury();
$start = hrtime(true) / 1e9 + 0.05;
$queue->push('delayed', delay: 0.05);
usleep(100000);
/* The age is compared with the clock before and after the call, so the load of the machine does not matter. */
$isYounger = fn(): bool => $queue->info()->oldest <= hrtime(true) / 1e9 - $start;
var_dump($isYounger());
$message = $queue->pop();
echo $message->body, "\n";
$message->ack();
$start = hrtime(true) / 1e9;
var_dump($queue->kick(), $isYounger());
usleep(10000);
$queue->pop()->release();
var_dump($queue->info()->oldest >= 0.01);
?>
--EXPECT--
float(0)
bool(true)
delayed
int(1)
bool(true)
bool(true)
