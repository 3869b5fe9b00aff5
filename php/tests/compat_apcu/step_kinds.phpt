--TEST--
larder: compat_apcu: apcu_inc() and apcu_dec() convert their step as ints are
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

set_error_handler(function (int $level, string $text) { echo $level === E_DEPRECATED ? 'deprecated ' : "level $level ", "\n"; return true; });
foreach (['apcu_inc', 'apcu_dec'] as $f) {
    foreach (['3', 2.0, true, false, null, 1.5, PHP_INT_MAX] as $step) show($f('n', $step, $s), $s);
    foreach (['x', '', [], new stdClass, 1e30] as $step) thrown(fn() => $f('n', $step));
    thrown(fn() => $f());
    thrown(fn() => $f([]));
    apcu_delete('n');
}
show(apcu_inc(12), apcu_inc(12, 4), apcu_dec('12', 2), apcu_inc(step: 5, key: 'named'), apcu_dec('named', success: $s), $s);
--EXPECT--
3 true 
5 true 
6 true 
6 true 
deprecated 
6 true 
deprecated 
7 true 
-9223372036854775802 true 
TypeError: apcu_inc(): Argument #2 ($step) must be of type int, string given
TypeError: apcu_inc(): Argument #2 ($step) must be of type int, string given
TypeError: apcu_inc(): Argument #2 ($step) must be of type int, array given
TypeError: apcu_inc(): Argument #2 ($step) must be of type int, stdClass given
TypeError: apcu_inc(): Argument #2 ($step) must be of type int, float given
ArgumentCountError: apcu_inc() expects at least 1 argument, 0 given
TypeError: apcu_inc(): Argument #1 ($key) must be of type string, array given
-3 true 
-5 true 
-6 true 
-6 true 
deprecated 
-6 true 
deprecated 
-7 true 
9223372036854775802 true 
TypeError: apcu_dec(): Argument #2 ($step) must be of type int, string given
TypeError: apcu_dec(): Argument #2 ($step) must be of type int, string given
TypeError: apcu_dec(): Argument #2 ($step) must be of type int, array given
TypeError: apcu_dec(): Argument #2 ($step) must be of type int, stdClass given
TypeError: apcu_dec(): Argument #2 ($step) must be of type int, float given
ArgumentCountError: apcu_dec() expects at least 1 argument, 0 given
TypeError: apcu_dec(): Argument #1 ($key) must be of type string, array given
1 5 3 5 4 true 
