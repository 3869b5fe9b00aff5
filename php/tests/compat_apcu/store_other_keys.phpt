--TEST--
larder: compat_apcu: apcu_store() and apcu_add() take a string, or an array with keys and values
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
class Text { public function __toString(): string { return 'text'; } }
foreach ([null, 5, 1.5, true, new Text, STDIN] as $key) show(apcu_store($key, 1), apcu_add($key, 1));
show(apcu_store('without'), apcu_add('without'), apcu_cache_info(true)['num_entries']);
thrown(fn() => apcu_store());
thrown(fn() => apcu_add('k', 1, 1, 1));
show(apcu_store(key: 'named', value: [1]), apcu_add(value: 2, key: 'named'), apcu_fetch(key: 'named'));
--EXPECT--
warned 
warned 
false false 
warned 
warned 
false false 
warned 
warned 
false false 
warned 
warned 
false false 
warned 
warned 
false false 
warned 
warned 
false false 
false false 0 
ArgumentCountError: apcu_store() expects at least 1 argument, 0 given
ArgumentCountError: apcu_add() expects at most 3 arguments, 4 given
true false [1] 
