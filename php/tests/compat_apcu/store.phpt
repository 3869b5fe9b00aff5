--TEST--
larder: compat_apcu: apcu_store() stores one value under a string key
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

show(apcu_store('k', 'v'), apcu_fetch('k'), apcu_store('k', ['w']), apcu_fetch('k'), apcu_store('k', 1, 60), apcu_fetch('k'));
show(apcu_store('without value'), apcu_exists('without value'), apcu_store('null', null), apcu_exists('null'), apcu_fetch('null'));
show(apcu_store(key: 'named', value: 1, ttl: 3), apcu_fetch('named'));
show(apcu_store('converted', 1, '3'), apcu_key_info('converted')['ttl'], apcu_store('converted', 1, 4.0), apcu_key_info('converted')['ttl']);
$x = 5; $r = &$x;
show(apcu_store('reference', $r), apcu_fetch('reference'));
thrown(fn() => apcu_store());
thrown(fn() => apcu_store('k', 1, 'long'));
thrown(fn() => apcu_store('k', 1, []));
thrown(fn() => apcu_store('k', 1, 1, 1));
thrown(fn() => apcu_store(key: ['k' => 1], ttl: 3));
--EXPECT--
true "v" true ["w"] true 1 
false false true true null 
true 1 
true 3 true 4 
true 5 
ArgumentCountError: apcu_store() expects at least 1 argument, 0 given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, string given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, array given
ArgumentCountError: apcu_store() expects at most 3 arguments, 4 given
ArgumentCountError: apcu_store(): Argument #2 ($value) must be passed explicitly, because the default value is not known
