--TEST--
larder: pool: methods of a pool check the number and the kinds of their arguments
--EXTENSIONS--
larder
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

$p = Larder\VolatileCache::pool('p');
foreach ([fn() => $p->get(), fn() => $p->get([]), fn() => $p->getMultiple('k'), fn() => $p->getMultiple(['k'], 'x'), fn() => $p->set('k'), fn() => $p->set('k', 1, 'x'), fn() => $p->add('k'), fn() => $p->setMultiple('k'), fn() => $p->setMultiple([], 'x'),
    fn() => $p->has(), fn() => $p->delete([]), fn() => $p->deleteMultiple('k'), fn() => $p->touch('k'), fn() => $p->touch('k', 'x'), fn() => $p->increment('k', 'x'), fn() => $p->increment('k', 1, 'x'), fn() => $p->lock(), fn() => $p->lock('k', []), fn() => $p->unlock(),
    fn() => $p->remember('k'), fn() => $p->remember('k', 'strlen', 1, 'x'), fn() => Larder\VolatileCache::pool(), fn() => Larder\VolatileCache::pool([])] as $call) thrown($call);
show($p->set(value: 1, key: 'named', ttl: 5), $p->get(default: 0, key: 'named'), $p->increment(step: 2, key: 'named'), $p->remember(compute: fn() => 'c', key: 'r'));
--EXPECT--
ArgumentCountError: Larder\Pool::get() expects at least 1 argument, 0 given
TypeError: Larder\Pool::get(): Argument #1 ($key) must be of type string, array given
TypeError: Larder\Pool::getMultiple(): Argument #1 ($keys) must be of type array, string given
TypeError: Larder\Pool::getMultiple(): Argument #2 ($default) must be of type ?array, string given
ArgumentCountError: Larder\Pool::set() expects at least 2 arguments, 1 given
TypeError: Larder\Pool::set(): Argument #3 ($ttl) must be of type int|float, string given
ArgumentCountError: Larder\Pool::add() expects at least 2 arguments, 1 given
TypeError: Larder\Pool::setMultiple(): Argument #1 ($values) must be of type array, string given
TypeError: Larder\Pool::setMultiple(): Argument #2 ($ttl) must be of type int|float, string given
ArgumentCountError: Larder\Pool::has() expects exactly 1 argument, 0 given
TypeError: Larder\Pool::delete(): Argument #1 ($key) must be of type string, array given
TypeError: Larder\Pool::deleteMultiple(): Argument #1 ($keys) must be of type array, string given
ArgumentCountError: Larder\Pool::touch() expects exactly 2 arguments, 1 given
TypeError: Larder\Pool::touch(): Argument #2 ($ttl) must be of type int|float, string given
TypeError: Larder\Pool::increment(): Argument #2 ($step) must be of type int, string given
TypeError: Larder\Pool::increment(): Argument #3 ($ttl) must be of type int|float, string given
ArgumentCountError: Larder\Pool::lock() expects at least 1 argument, 0 given
TypeError: Larder\Pool::lock(): Argument #2 ($lease) must be of type int|float, array given
ArgumentCountError: Larder\Pool::unlock() expects exactly 1 argument, 0 given
ArgumentCountError: Larder\Pool::remember() expects at least 2 arguments, 1 given
TypeError: Larder\Pool::remember(): Argument #4 ($stale) must be of type int|float, string given
ArgumentCountError: Larder\VolatileCache::pool() expects at least 1 argument, 0 given
TypeError: Larder\VolatileCache::pool(): Argument #1 ($name) must be of type string, array given
true 1 3 "c" 
