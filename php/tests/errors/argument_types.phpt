--TEST--
larder: errors: an argument of another type is a TypeError that names it
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\{Queue, VolatileCache};

$queue = Queue::open('work');
$queue->push('x');
$message = $queue->pop();
foreach ([fn() => VolatileCache::get([]), fn() => $message->touch('soon')] as $call)
    try { $call(); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
var_dump($message->ack());
--EXPECT--
Larder\VolatileCache::get(): Argument #1 ($key) must be of type string, array given
Larder\Message::touch(): Argument #1 ($timeToRun) must be of type int|float|null, string given
bool(true)
