--TEST--
larder: compat user_cache: increment and decrement
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
$c = UserCache\Cache::getPool('counters');
var_dump($c->increment('n'), $c->increment('n', 4), $c->decrement('n', 2), $c->fetch('n'), $c->decrement('new', 3), $c->increment('n', 0));
$c->store('text', 'x');
$c->store('max', PHP_INT_MAX);
$c->store('min', PHP_INT_MIN);
foreach ([fn() => $c->increment('text'), fn() => $c->decrement('text'), fn() => $c->increment('max'), fn() => $c->decrement('min'),
    fn() => $c->increment('n', -1), fn() => $c->decrement('n', -1), fn() => $c->increment('n', 1, -1)] as $call)
    try { var_dump($call()); } catch (Throwable $e) { echo $e::class, ': ', $e->getMessage(), "\n"; }
var_dump($c->fetch('text'), $c->fetch('max') === PHP_INT_MAX, $c->fetch('min') === PHP_INT_MIN, $c->fetch('n'));
$c->increment('short', 1, 0.05);
usleep(150000);
var_dump($c->increment('short'));
--EXPECT--
int(1)
int(5)
int(3)
int(3)
int(-3)
int(3)
ValueError: The entry "text" is not an int
ValueError: The entry "text" is not an int
ArithmeticError: The sum of entry "max" would leave the range of int
ArithmeticError: The sum of entry "min" would leave the range of int
ValueError: UserCache\Cache::increment(): Argument #2 ($step) must be greater than or equal to 0
ValueError: UserCache\Cache::decrement(): Argument #2 ($step) must be greater than or equal to 0
ValueError: UserCache\Cache::increment(): Argument #3 ($ttl) must be greater than or equal to 0
string(1) "x"
bool(true)
bool(true)
int(3)
int(1)
