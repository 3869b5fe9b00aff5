--TEST--
larder: compat_opcache: methods of the RFC's classes check the number and the kinds of their arguments
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

use OPcache\PinnedCache;
use OPcache\VolatileCache;

foreach ([VolatileCache::class, PinnedCache::class] as $class)
    foreach ([fn() => $class::get(), fn() => $class::get([]), fn() => $class::get('k', 1, 2), fn() => $class::getMultiple('k'), fn() => $class::getMultiple(['k'], 'x'), fn() => $class::set('k'), fn() => $class::setMultiple('k'),
        fn() => $class::has(), fn() => $class::delete(new stdClass), fn() => $class::deleteMultiple('k'), fn() => $class::deleteMultiple([1.5]), fn() => $class::clear(1), fn() => $class::lock(), fn() => $class::unlock(''), fn() => $class::info(1), fn() => $class::getCacheStoreType(),
        fn() => $class::getCacheStoreType('k', 'C', 1), fn() => new $class] as $call) thrown($call);
foreach ([fn() => VolatileCache::set('k', 1, 'x'), fn() => VolatileCache::set('k', 1, NAN), fn() => VolatileCache::setMultiple([], -1), fn() => PinnedCache::increment('k', 'x'), fn() => PinnedCache::decrement('k', PHP_INT_MIN), fn() => VolatileCache::increment('k'), fn() => VolatileCache::set('k', 1, 1, 'packed'), fn() => VolatileCache::setMultiple([], 1, 'packed'), fn() => PinnedCache::set('k', 1, 1)] as $call) thrown($call);
show(VolatileCache::set(value: 1, key: 'named', ttl: 5), VolatileCache::get(default: 0, key: 'named'), VolatileCache::getMultiple(default: ['x' => 1], keys: ['x']));
--EXPECT--
ArgumentCountError: OPcache\VolatileCache::get() expects at least 1 argument, 0 given
TypeError: OPcache\VolatileCache::get(): Argument #1 ($key) must be of type string, array given
ArgumentCountError: OPcache\VolatileCache::get() expects at most 2 arguments, 3 given
TypeError: OPcache\VolatileCache::getMultiple(): Argument #1 ($keys) must be of type array, string given
TypeError: OPcache\VolatileCache::getMultiple(): Argument #2 ($default) must be of type ?array, string given
ArgumentCountError: OPcache\VolatileCache::set() expects at least 2 arguments, 1 given
TypeError: OPcache\VolatileCache::setMultiple(): Argument #1 ($values) must be of type array, string given
ArgumentCountError: OPcache\VolatileCache::has() expects exactly 1 argument, 0 given
TypeError: OPcache\VolatileCache::delete(): Argument #1 ($key_or_class) must be of type string, stdClass given
TypeError: OPcache\VolatileCache::deleteMultiple(): Argument #1 ($keys) must be of type array, string given
TypeError: OPcache\VolatileCache::deleteMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, float given
ArgumentCountError: OPcache\VolatileCache::clear() expects exactly 0 arguments, 1 given
ArgumentCountError: OPcache\VolatileCache::lock() expects at least 1 argument, 0 given
ValueError: OPcache\VolatileCache::unlock(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
ArgumentCountError: OPcache\VolatileCache::info() expects exactly 0 arguments, 1 given
ArgumentCountError: OPcache\VolatileCache::getCacheStoreType() expects at least 1 argument, 0 given
ArgumentCountError: OPcache\VolatileCache::getCacheStoreType() expects at most 2 arguments, 3 given
Error: Call to private OPcache\VolatileCache::__construct() from global scope
ArgumentCountError: OPcache\PinnedCache::get() expects at least 1 argument, 0 given
TypeError: OPcache\PinnedCache::get(): Argument #1 ($key) must be of type string, array given
ArgumentCountError: OPcache\PinnedCache::get() expects at most 2 arguments, 3 given
TypeError: OPcache\PinnedCache::getMultiple(): Argument #1 ($keys) must be of type array, string given
TypeError: OPcache\PinnedCache::getMultiple(): Argument #2 ($default) must be of type ?array, string given
ArgumentCountError: OPcache\PinnedCache::set() expects exactly 2 arguments, 1 given
TypeError: OPcache\PinnedCache::setMultiple(): Argument #1 ($values) must be of type array, string given
ArgumentCountError: OPcache\PinnedCache::has() expects exactly 1 argument, 0 given
TypeError: OPcache\PinnedCache::delete(): Argument #1 ($key_or_class) must be of type string, stdClass given
TypeError: OPcache\PinnedCache::deleteMultiple(): Argument #1 ($keys) must be of type array, string given
TypeError: OPcache\PinnedCache::deleteMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, float given
ArgumentCountError: OPcache\PinnedCache::clear() expects exactly 0 arguments, 1 given
ArgumentCountError: OPcache\PinnedCache::lock() expects at least 1 argument, 0 given
ValueError: OPcache\PinnedCache::unlock(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
ArgumentCountError: OPcache\PinnedCache::info() expects exactly 0 arguments, 1 given
ArgumentCountError: OPcache\PinnedCache::getCacheStoreType() expects at least 1 argument, 0 given
ArgumentCountError: OPcache\PinnedCache::getCacheStoreType() expects at most 2 arguments, 3 given
Error: Call to private OPcache\PinnedCache::__construct() from global scope
TypeError: OPcache\VolatileCache::set(): Argument #3 ($ttl) must be of type int|float, string given
ValueError: OPcache\VolatileCache::set(): Argument #3 ($ttl) must be a finite number of seconds
ValueError: OPcache\VolatileCache::setMultiple(): Argument #2 ($ttl) must be greater than or equal to 0
TypeError: OPcache\PinnedCache::increment(): Argument #2 ($step) must be of type int, string given
ValueError: OPcache\PinnedCache::decrement(): Argument #2 ($step) must be greater than -9223372036854775808
Error: Call to undefined method OPcache\VolatileCache::increment()
ArgumentCountError: OPcache\VolatileCache::set() expects at most 3 arguments, 4 given
ArgumentCountError: OPcache\VolatileCache::setMultiple() expects at most 2 arguments, 3 given
ArgumentCountError: OPcache\PinnedCache::set() expects exactly 2 arguments, 3 given
true 1 {"x":1} 
