--TEST--
larder: broadcast: a published value is read, waited for, and ends with the store
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Broadcast;
use Larder\PinnedCache;

$flags = Broadcast::open('flags');
var_dump($flags->value, $flags->version, isset($flags->value), isset($flags->version), isset($flags->other));
foreach ([1, 'text', [1, ['a' => 'b']], new ArrayObject([1, 2]), null, str_repeat('x', 5000)] as $n => $value) {
    var_dump($flags->publish($value) && $flags->value == $value && $flags->value == $value && $flags->version === $n + 1);
}
var_dump(Broadcast::open('flags')->value === str_repeat('x', 5000), Broadcast::open('other')->value);
var_dump($flags->wait(0, 0), $flags->wait(6, 0), $flags->wait(6, 0.02), $flags->wait(5, 600));

// a change of the fetched array changes only a copy
$flags->publish(['a' => 1]);
$copy = $flags->value;
$copy['a'] = 2;
var_dump($flags->value);
var_dump($flags->value['a'], $flags->value['b'] ?? 'none', empty($flags->value['a']));
foreach ([fn() => $flags->value = 1, function () use ($flags) { unset($flags->value); }, fn() => $flags->publish(fn() => 1), fn() => Broadcast::open(''), fn() => clone $flags,
    fn() => $flags->wait(1, -1)] as $call) {
    try {
        $call();
    } catch (Throwable $e) {
        echo $e::class, ': ', $e->getMessage(), "\n";
    }
}
PinnedCache::clear();
var_dump($flags->value, $flags->version, $flags->publish(5), $flags->value, $flags->version > 7);
--EXPECT--
NULL
int(0)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
NULL
bool(true)
bool(false)
bool(false)
bool(true)
array(1) {
  ["a"]=>
  int(1)
}
int(1)
string(4) "none"
bool(false)
Error: Cannot modify property Larder\Broadcast::$value; see publish()
Error: Cannot modify property Larder\Broadcast::$value; see publish()
TypeError: Larder\Broadcast::publish(): Argument #1 ($value) must not contain an instance of Closure, found at $value
ValueError: Larder\Broadcast::open(): Argument #1 ($name) must be between 1 and 1024 bytes long, 0 given
Error: Trying to clone an uncloneable object of class Larder\Broadcast
ValueError: Larder\Broadcast::wait(): Argument #2 ($timeout) must be greater than or equal to 0
NULL
int(0)
bool(true)
int(5)
bool(true)
