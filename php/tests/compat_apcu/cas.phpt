--TEST--
larder: compat_apcu: apcu_cas() replaces the expected int only
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

apcu_store(['n' => 5, 'text' => '5', 'float' => 5.0], null, 100);
show(apcu_cas('n', 5, 6), apcu_cas('n', 5, 7), apcu_fetch('n'), apcu_cas('n', 6, PHP_INT_MIN), apcu_cas('n', PHP_INT_MIN, 0), apcu_fetch('n'), apcu_cas('n', 0, 0), apcu_key_info('n')['ttl']);
show(apcu_cas('none', 0, 1), apcu_exists('none'), apcu_cas('text', 5, 6), apcu_fetch('text'), apcu_cas('float', 5, 6), apcu_fetch('float'));
thrown(fn() => apcu_cas('n', 1));
thrown(fn() => apcu_cas('n', 'x', 1));
--EXPECT--
true false 6 true true 0 true 100 
false false false "5" false 5.0 
ArgumentCountError: apcu_cas() expects exactly 3 arguments, 2 given
TypeError: apcu_cas(): Argument #2 ($old) must be of type int, string given
