--TEST--
larder: compat_apcu: apcu_delete() reports what is no key, and leaves everything
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

set_error_handler(function (int $level, string $text) { echo $level === E_WARNING ? 'warned ' : "level $level ", "\n"; return true; });
apcu_store(['' => 1, '1' => 1, '5' => 1]);
foreach ([null, false, true, 5, 5.0] as $key) show(apcu_delete($key));
show(apcu_delete(''), apcu_delete('1'), apcu_delete(' 5'), apcu_cache_info(true)['num_entries']);
thrown(fn() => apcu_delete());
--EXPECT--
warned 
false 
warned 
false 
warned 
false 
warned 
false 
warned 
false 
true true false 1 
ArgumentCountError: apcu_delete() expects exactly 1 argument, 0 given
