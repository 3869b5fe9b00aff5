--TEST--
larder: compat_apcu: apcu_exists() tells which keys are there
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

apcu_store(['a' => 1, 'null' => null, 'false' => false]);
show(apcu_exists('a'), apcu_exists('null'), apcu_exists('false'), apcu_exists('none'));
show(apcu_exists(['a', 'none', 'null']), apcu_exists(['none']), apcu_exists([]));
thrown(fn() => apcu_exists());
--EXPECT--
true true true false 
{"a":true,"null":true} [] [] 
ArgumentCountError: apcu_exists() expects exactly 1 argument, 0 given
