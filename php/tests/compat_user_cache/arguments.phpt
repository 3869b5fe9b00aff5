--TEST--
larder: compat_user_cache: methods of UserCache\Cache check the number and the kinds of their arguments
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--FILE--
<?php
use UserCache\Cache;

$c = Cache::getPool('arguments');
$calls = [
    'store' => [fn() => $c->store(), fn() => $c->store('k'), fn() => $c->store([], 1), fn() => $c->store('k', 1, 'x'), fn() => $c->store('k', 1, null), fn() => $c->store('k', 1, 1, 1)],
    'add' => [fn() => $c->add('k'), fn() => $c->add(new stdClass, 1), fn() => $c->add('k', 1, 1, 'packed')], 'storeMultiple' => [fn() => $c->storeMultiple([], 1, 'packed'), fn() => $c->storeMultiple('k'), fn() => $c->storeMultiple(), fn() => $c->storeMultiple([], 'x')],
    'fetch' => [fn() => $c->fetch(), fn() => $c->fetch([]), fn() => $c->fetch('k', 1, 2)], 'fetchMultiple' => [fn() => $c->fetchMultiple('k'), fn() => $c->fetchMultiple([null])],
    'increment' => [fn() => $c->increment(), fn() => $c->increment('k', 'x'), fn() => $c->increment('k', 1, [])], 'has' => [fn() => $c->has(), fn() => $c->has([])],
    'deleteMultiple' => [fn() => $c->deleteMultiple('k'), fn() => $c->deleteMultiple([[]])], 'clear' => [fn() => $c->clear(1)], 'lock' => [fn() => $c->lock(), fn() => $c->lock('k', 'x')], 'unlock' => [fn() => $c->unlock()],
    'remember' => [fn() => $c->remember('k'), fn() => $c->remember('k', 5), fn() => $c->remember('k', 'strlen', 'x')], 'getPool' => [fn() => Cache::getPool(), fn() => Cache::getPool([])],
    'getPools' => [fn() => Cache::getPools(1)], 'getStatus' => [fn() => Cache::getStatus(1)], 'getPoolStatus' => [fn() => $c->getPoolStatus(1)], 'getters' => [fn() => Cache::getStatus()->getHitCount(1)],
];
foreach ($calls as $name => $list) foreach ($list as $call) try { @$call(); echo "$name: taken\n"; } catch (Error $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
var_dump($c->store(value: 1, key: 'named', ttl: 5), $c->fetch(default: 0, key: 'named'), $c->increment(step: 2, key: 'named'), $c->fetchMultiple(default: 'd', keys: ['x']));
--EXPECT--
ArgumentCountError: UserCache\Cache::store() expects at least 2 arguments, 0 given
ArgumentCountError: UserCache\Cache::store() expects at least 2 arguments, 1 given
TypeError: UserCache\Cache::store(): Argument #1 ($key) must be of type string, array given
TypeError: UserCache\Cache::store(): Argument #3 ($ttl) must be of type int|float, string given
store: taken
ArgumentCountError: UserCache\Cache::store() expects at most 3 arguments, 4 given
ArgumentCountError: UserCache\Cache::add() expects at least 2 arguments, 1 given
TypeError: UserCache\Cache::add(): Argument #1 ($key) must be of type string, stdClass given
ArgumentCountError: UserCache\Cache::add() expects at most 3 arguments, 4 given
ArgumentCountError: UserCache\Cache::storeMultiple() expects at most 2 arguments, 3 given
TypeError: UserCache\Cache::storeMultiple(): Argument #1 ($values) must be of type array, string given
ArgumentCountError: UserCache\Cache::storeMultiple() expects at least 1 argument, 0 given
TypeError: UserCache\Cache::storeMultiple(): Argument #2 ($ttl) must be of type int|float, string given
ArgumentCountError: UserCache\Cache::fetch() expects at least 1 argument, 0 given
TypeError: UserCache\Cache::fetch(): Argument #1 ($key) must be of type string, array given
ArgumentCountError: UserCache\Cache::fetch() expects at most 2 arguments, 3 given
TypeError: UserCache\Cache::fetchMultiple(): Argument #1 ($keys) must be of type array, string given
ValueError: UserCache\Cache::fetchMultiple(): Argument #1 ($keys) must contain only keys of type string or int
ArgumentCountError: UserCache\Cache::increment() expects at least 1 argument, 0 given
TypeError: UserCache\Cache::increment(): Argument #2 ($step) must be of type int, string given
TypeError: UserCache\Cache::increment(): Argument #3 ($ttl) must be of type int|float, array given
ArgumentCountError: UserCache\Cache::has() expects exactly 1 argument, 0 given
TypeError: UserCache\Cache::has(): Argument #1 ($key) must be of type string, array given
TypeError: UserCache\Cache::deleteMultiple(): Argument #1 ($keys) must be of type array, string given
ValueError: UserCache\Cache::deleteMultiple(): Argument #1 ($keys) must contain only keys of type string or int
ArgumentCountError: UserCache\Cache::clear() expects exactly 0 arguments, 1 given
ArgumentCountError: UserCache\Cache::lock() expects at least 1 argument, 0 given
TypeError: UserCache\Cache::lock(): Argument #2 ($lease) must be of type int|float, string given
ArgumentCountError: UserCache\Cache::unlock() expects exactly 1 argument, 0 given
ArgumentCountError: UserCache\Cache::remember() expects at least 2 arguments, 1 given
TypeError: UserCache\Cache::remember(): Argument #2 ($callback) must be a valid callback, no array or string given
TypeError: UserCache\Cache::remember(): Argument #3 ($ttl) must be of type int|float, string given
ArgumentCountError: UserCache\Cache::getPool() expects exactly 1 argument, 0 given
TypeError: UserCache\Cache::getPool(): Argument #1 ($pool) must be of type string, array given
ArgumentCountError: UserCache\Cache::getPools() expects exactly 0 arguments, 1 given
ArgumentCountError: UserCache\Cache::getStatus() expects exactly 0 arguments, 1 given
ArgumentCountError: UserCache\Cache::getPoolStatus() expects exactly 0 arguments, 1 given
ArgumentCountError: UserCache\CacheStatus::getHitCount() expects exactly 0 arguments, 1 given
bool(true)
int(1)
int(3)
array(1) {
  ["x"]=>
  string(1) "d"
}
