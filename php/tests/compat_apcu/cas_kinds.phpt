--TEST--
larder: compat_apcu: apcu_cas() converts its numbers as ints are, and never makes an entry
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
apcu_store(['n' => 5, '9' => 1]);
show(apcu_cas('n', '5', 6.0), apcu_fetch('n'), apcu_cas('n', 6, true), apcu_cas('n', true, 7), apcu_cas(9, 1, 2), apcu_fetch('9'));
show(apcu_cas('n', 7.5, 8), apcu_fetch('n'), apcu_cas('none', 0, 0), apcu_exists('none'), apcu_cas('', 0, 1));
foreach ([[], 'x', new stdClass] as $bad) { thrown(fn() => apcu_cas('n', $bad, 1)); thrown(fn() => apcu_cas('n', 8, $bad)); }
thrown(fn() => apcu_cas([], 1, 2));
apcu_store('t', 1, 100);
show(apcu_cas('t', 1, 2), apcu_key_info('t')['ttl']);
apcu_store('gone', 1, -1);
show(apcu_cas('gone', 1, 2));
--EXPECT--
true 6 true true true 2 
deprecated 
true 8 false false false 
TypeError: apcu_cas(): Argument #2 ($old) must be of type int, array given
TypeError: apcu_cas(): Argument #3 ($new) must be of type int, array given
TypeError: apcu_cas(): Argument #2 ($old) must be of type int, string given
TypeError: apcu_cas(): Argument #3 ($new) must be of type int, string given
TypeError: apcu_cas(): Argument #2 ($old) must be of type int, stdClass given
TypeError: apcu_cas(): Argument #3 ($new) must be of type int, stdClass given
TypeError: apcu_cas(): Argument #1 ($key) must be of type string, array given
true 100 
false 
