--TEST--
larder: pool: what makes no sense throws and changes nothing
--EXTENSIONS--
larder
--INI--
larder.volatile_size=1M
--FILE--
<?php
use Larder\VolatileCache;

$p = VolatileCache::pool('p');
$calls = [
    fn() => VolatileCache::pool(''), fn() => VolatileCache::pool(str_repeat('n', 256)),
    fn() => $p->get(''), fn() => $p->set('', 1), fn() => $p->has(''), fn() => $p->getMultiple(['ok', '']),
    fn() => $p->getMultiple([1.5]), fn() => $p->deleteMultiple(['k', []]), fn() => $p->setMultiple(['k' => 1, '' => 2]),
    fn() => $p->get(str_repeat('k', 65535 - 14)), fn() => $p->set(str_repeat('k', 65535), 1),
    fn() => $p->set('k', 1, -1), fn() => $p->touch('k', NAN), fn() => $p->lock('k', -1), fn() => $p->decrement('k', PHP_INT_MIN),
    fn() => $p->set('k', ['a' => fn() => 1]), fn() => $p->setMultiple(['k' => 1, 'l' => fn() => 1]),
    fn() => $p->remember('k', fn() => fn() => 1), fn() => clone $p, fn() => serialize($p), fn() => $p->x = 1,
    fn() => new Larder\Pool(), fn() => new Larder\PoolInfo(), fn() => VolatileCache::set('pool', $p),
];
foreach ($calls as $call)
    try { var_dump($call()); } catch (Throwable $e) { echo $e::class, ': ', $e->getMessage(), "\n"; }
var_dump($p->has('k'), $p == VolatileCache::pool('q'));
$longest = str_repeat('k', 65535 - 15);
var_dump($p->set($longest, 'fits'), $p->get($longest), $p->delete($longest));
var_dump(@$p->set('large', str_repeat('x', 700000)));
echo error_get_last()['message'], "\n";
--EXPECT--
ValueError: Larder\VolatileCache::pool(): Argument #1 ($name) must be between 1 and 255 bytes long, 0 given
ValueError: Larder\VolatileCache::pool(): Argument #1 ($name) must be between 1 and 255 bytes long, 256 given
ValueError: Larder\Pool::get(): Argument #1 ($key) must be between 1 and 65520 bytes long, 0 given
ValueError: Larder\Pool::set(): Argument #1 ($key) must be between 1 and 65520 bytes long, 0 given
ValueError: Larder\Pool::has(): Argument #1 ($key) must be between 1 and 65520 bytes long, 0 given
ValueError: Larder\Pool::getMultiple(): Argument #1 ($keys) must not contain an empty key
TypeError: Larder\Pool::getMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, float given
TypeError: Larder\Pool::deleteMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, array given
ValueError: Larder\Pool::setMultiple(): Argument #1 ($values) must not contain an empty key
ValueError: Larder\Pool::get(): Argument #1 ($key) must be between 1 and 65520 bytes long, 65521 given
ValueError: Larder\Pool::set(): Argument #1 ($key) must be between 1 and 65520 bytes long, 65535 given
ValueError: Larder\Pool::set(): Argument #3 ($ttl) must be greater than or equal to 0
ValueError: Larder\Pool::touch(): Argument #2 ($ttl) must be a finite number of seconds
ValueError: Larder\Pool::lock(): Argument #2 ($lease) must be greater than or equal to 0
ValueError: Larder\Pool::decrement(): Argument #2 ($step) must be greater than -9223372036854775808
TypeError: Larder\Pool::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value['a']
TypeError: Larder\Pool::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values['l']
TypeError: Larder\Pool::remember(): The value that $compute returned must not contain an instance of Closure, found at $value
Error: Trying to clone an uncloneable object of class Larder\Pool
Exception: Serialization of 'Larder\Pool' is not allowed
Error: Cannot create dynamic property Larder\Pool::$x
Error: Call to private Larder\Pool::__construct() from global scope
Error: Call to private Larder\PoolInfo::__construct() from global scope
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Larder\Pool, found at $value
bool(false)
bool(false)
bool(true)
string(4) "fits"
bool(true)
bool(false)
Larder\Pool::set(): The value is larger than half of the store; raise larder.volatile_size
