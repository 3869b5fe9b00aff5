--TEST--
larder: queue: bad input names the argument, and changes nothing
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$q = Queue::open('work');
$q->push('there');
$seen = [];
$calls = [
    fn () => Queue::open(''), fn () => Queue::open(str_repeat('n', 201)), fn () => Queue::open('x', -1),
    fn () => $q->push(fn () => 1), fn () => $q->push(['a' => ['b' => new class {}]]), fn () => $q->pushMany([1, fopen('php://memory', 'r')]),
    fn () => $q->push(1, priority: PHP_INT_MAX), fn () => $q->popMany(0), fn () => $q->kick(-1), fn () => $q->list(-1),
    fn () => new Queue(), fn () => clone $q, fn () => serialize($q), fn () => $q->x = 1, fn () => $q->peek()->body = 2, fn () => clone $q->peek(), fn () => serialize($q->peek()),
];
foreach ([-1, NAN, INF] as $t) {
    array_push($calls, fn () => $q->push(1, $t), fn () => $q->push(1, 0, 0, $t), fn () => $q->push(1, 0, 0, 0, $t), fn () => $q->pop($t), fn () => $q->pop(0, $t), fn () => $q->popMany(1, $t), fn () => $q->popMany(1, 0, $t));
}
foreach ($calls as $call) {
    try {
        $call();
        echo "accepted\n";
    } catch (Throwable $e) {
        $seen[preg_replace('~@anonymous.*?, found~', '@anonymous, found', get_class($e) . ': ' . $e->getMessage())] = 1;
    }
}
echo implode("\n", array_keys($seen)), "\n";
$m = $q->pop();
foreach ([fn () => $m->release(-1), fn () => $m->touch(NAN)] as $call) {
    try { $call(); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
}
var_dump($m->body, $m->ack(), $q->pop());
--EXPECTF--
ValueError: Larder\Queue::open(): Argument #1 ($name) must be between 1 and 200 bytes long, 0 given
ValueError: Larder\Queue::open(): Argument #1 ($name) must be between 1 and 200 bytes long, 201 given
ValueError: Larder\Queue::open(): Argument #2 ($capacity) must be greater than or equal to 0
TypeError: Larder\Queue::push(): Argument #1 ($body) must not contain an instance of Closure, found at $body
TypeError: Larder\Queue::push(): Argument #1 ($body) must not contain %s
TypeError: Larder\Queue::pushMany(): Argument #1 ($bodies) must not contain a resource, found at $bodies%s
ValueError: Larder\Queue::push(): Argument #3 ($priority) must be between -2147483648 and 2147483647
ValueError: Larder\Queue::popMany(): Argument #1 ($count) must be greater than or equal to 1
ValueError: Larder\Queue::kick(): Argument #1 ($count) must be greater than or equal to 0
ValueError: Larder\Queue::list(): Argument #1 ($limit) must be greater than or equal to 0
Error: Call to private Larder\Queue::__construct() from global scope
Error: Trying to clone an uncloneable object of class Larder\Queue
Exception: Serialization of 'Larder\Queue' is not allowed
Error: Cannot create dynamic property Larder\Queue::$x
Error: Cannot modify readonly property Larder\Message::$body
Error: Trying to clone an uncloneable object of class Larder\Message
Exception: Serialization of 'Larder\Message' is not allowed
ValueError: Larder\Queue::push(): Argument #2 ($delay) must be greater than or equal to 0
ValueError: Larder\Queue::push(): Argument #4 ($ttl) must be greater than or equal to 0
ValueError: Larder\Queue::push(): Argument #5 ($wait) must be greater than or equal to 0
ValueError: Larder\Queue::pop(): Argument #1 ($timeout) must be greater than or equal to 0
ValueError: Larder\Queue::pop(): Argument #2 ($timeToRun) must be greater than or equal to 0
ValueError: Larder\Queue::popMany(): Argument #2 ($timeout) must be greater than or equal to 0
ValueError: Larder\Queue::popMany(): Argument #3 ($timeToRun) must be greater than or equal to 0
ValueError: Larder\Queue::push(): Argument #2 ($delay) must be a finite number of seconds
ValueError: Larder\Queue::push(): Argument #4 ($ttl) must be a finite number of seconds
ValueError: Larder\Queue::push(): Argument #5 ($wait) must be a finite number of seconds
ValueError: Larder\Queue::pop(): Argument #1 ($timeout) must be a finite number of seconds
ValueError: Larder\Queue::pop(): Argument #2 ($timeToRun) must be a finite number of seconds
ValueError: Larder\Queue::popMany(): Argument #2 ($timeout) must be a finite number of seconds
ValueError: Larder\Queue::popMany(): Argument #3 ($timeToRun) must be a finite number of seconds
Larder\Message::release(): Argument #1 ($delay) must be greater than or equal to 0
Larder\Message::touch(): Argument #1 ($timeToRun) must be a finite number of seconds
string(5) "there"
bool(true)
NULL
