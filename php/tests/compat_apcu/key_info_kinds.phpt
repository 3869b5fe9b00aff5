--TEST--
larder: compat_apcu: apcu_key_info() is null for what is not there, and counts nothing
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
apcu_store(['5' => 1, '' => 2]);
$before = apcu_cache_info(true);
show(array_keys(apcu_key_info(5)), apcu_key_info('none'), apcu_key_info('none ') ?? 'null', is_array(apcu_key_info(null)), is_array(apcu_key_info('')));
thrown(fn() => apcu_key_info([]));
thrown(fn() => apcu_key_info());
thrown(fn() => apcu_key_info('a', 'b'));
show(apcu_cache_info(true) === $before);
apcu_store('old', 1, -1);
show(apcu_key_info('old'));
--EXPECT--
deprecated 
["hits","access_time","mtime","creation_time","deletion_time","ttl","refs"] null "null" true true 
TypeError: apcu_key_info(): Argument #1 ($key) must be of type string, array given
ArgumentCountError: apcu_key_info() expects exactly 1 argument, 0 given
ArgumentCountError: apcu_key_info() expects exactly 1 argument, 2 given
true 
null 
