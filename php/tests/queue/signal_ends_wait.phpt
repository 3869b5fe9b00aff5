--TEST--
larder: queue: a signal ends a wait for a message, and a wait for room
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl')) die('skip needs pcntl'); ?>
--FILE--
<?php
use Larder\Queue;

pcntl_async_signals(true);
$signals = 0;
pcntl_signal(SIGALRM, function () use (&$signals) { $signals++; pcntl_alarm(1); }); // send the signal again, in case the first signal came before the wait
$start = hrtime(true);
pcntl_alarm(1);
var_dump(Queue::open('empty')->pop(600), $signals > 0);
$small = Queue::open('small', 1);
$small->push(1);
$before = $signals;
var_dump($small->push(2, wait: 600), $signals > $before, hrtime(true) - $start < 300e9);
?>
--EXPECT--
NULL
bool(true)
NULL
bool(true)
bool(true)
