--TEST--
larder: compat_apcu: times to live are converted as ints are, and anything else is refused
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
foreach (['10', 10.0, true, 1.5, null] as $ttl) show(apcu_store('k', 1, $ttl), apcu_key_info('k')['ttl']);
foreach (['x', '1x', [], new stdClass, NAN, 1e30] as $ttl) thrown(fn() => apcu_store('k', 2, $ttl));
foreach (['apcu_add', 'apcu_store'] as $f) thrown(fn() => $f(['a' => 1], 2, 'x'));
thrown(fn() => apcu_entry('e', fn() => 1, 'x'));
thrown(fn() => apcu_inc('n', 1, $s, 'x'));
show(apcu_fetch('k'), apcu_exists(['a', 'e', 'n']));
--EXPECT--
true 10 
true 10 
true 1 
deprecated 
true 1 
deprecated 
true 0 
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, string given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, string given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, array given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, stdClass given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, float given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, float given
TypeError: apcu_add(): Argument #3 ($ttl) must be of type int, string given
TypeError: apcu_store(): Argument #3 ($ttl) must be of type int, string given
TypeError: apcu_entry(): Argument #3 ($ttl) must be of type int, string given
TypeError: apcu_inc(): Argument #4 ($ttl) must be of type int, string given
1 [] 
