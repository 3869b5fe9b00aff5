--TEST--
larder: compat_apcu: counting past the largest int wraps around
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

apcu_store('n', PHP_INT_MAX, 100);
show(apcu_inc('n', 1, $s), $s, apcu_fetch('n') === PHP_INT_MIN, apcu_dec('n') === PHP_INT_MAX, apcu_inc('n', PHP_INT_MAX), apcu_key_info('n')['ttl']);
show(apcu_dec('none', PHP_INT_MIN) === PHP_INT_MIN, apcu_store('n', 0), apcu_dec('n', PHP_INT_MIN) === PHP_INT_MIN, apcu_inc('n', PHP_INT_MIN));
--EXPECT--
-9223372036854775808 true true true -2 100 
true true true 0 
