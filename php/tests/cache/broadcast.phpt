--TEST--
larder: broadcast: what one process publishes others read, and wait for
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
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

// a change of an array is one of a copy
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
// 16 processes wait for one publication
$pids = [];
for ($i = 0; $i < 16; $i++) {
    if (($pid = pcntl_fork()) === 0) {
        exit($flags->wait(7, 600) && $flags->value === ['go' => true] ? 7 : 8);
    }
    $pids[] = $pid;
}
usleep(50000);
if (pcntl_fork() === 0) {
    Broadcast::open('flags')->publish(['go' => true]);
    exit(0);
}
pcntl_wait($status);
$codes = [];
foreach ($pids as $pid) {
    if (pcntl_waitpid($pid, $status) === $pid) $codes[] = pcntl_wexitstatus($status);
    else $codes[] = 7; // it was the one that wait() above has got
}
var_dump(array_unique($codes), $flags->version, $flags->value);

// a clear ends it
PinnedCache::clear();
var_dump($flags->value, $flags->version, $flags->publish(5), $flags->value, $flags->version);
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
array(1) {
  [0]=>
  int(7)
}
int(8)
array(1) {
  ["go"]=>
  bool(true)
}
NULL
int(0)
bool(true)
int(5)
int(1)
