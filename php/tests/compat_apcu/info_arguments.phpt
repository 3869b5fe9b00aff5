--TEST--
larder: compat_apcu: apcu_cache_info(), apcu_sma_info(), apcu_enabled() and apcu_clear_cache() check their arguments
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

apcu_store('k', 1);
show(count(apcu_cache_info(false)) - count(apcu_cache_info(true)), count(apcu_cache_info(1)) === count(apcu_cache_info('x')), count(apcu_cache_info(limited: true)) === count(apcu_cache_info(true)));
show(count(apcu_sma_info()) - count(apcu_sma_info(true)), count(apcu_sma_info(0)) === count(apcu_sma_info(limited: false)));
foreach (['apcu_cache_info', 'apcu_sma_info'] as $f) { thrown(fn() => $f([])); thrown(fn() => $f(true, true)); }
thrown(fn() => apcu_enabled(1));
thrown(fn() => apcu_clear_cache('user'));
show(apcu_exists('k'));
--EXPECT--
3 true true 
1 true 
TypeError: apcu_cache_info(): Argument #1 ($limited) must be of type bool, array given
ArgumentCountError: apcu_cache_info() expects at most 1 argument, 2 given
TypeError: apcu_sma_info(): Argument #1 ($limited) must be of type bool, array given
ArgumentCountError: apcu_sma_info() expects at most 1 argument, 2 given
ArgumentCountError: apcu_enabled() expects exactly 0 arguments, 1 given
ArgumentCountError: apcu_clear_cache() expects exactly 0 arguments, 1 given
true 
