--TEST--
larder: compat_apcu: apcu_store() and apcu_add() of an array give the keys that failed
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

show(apcu_store(['a' => 1, 'b' => [2], 5 => 3]), apcu_fetch('a'), apcu_fetch('b'), apcu_fetch('5'));
show(apcu_store(['p', 'q']), apcu_fetch('0'), apcu_fetch('1'), apcu_store([]));
show(apcu_store(['t' => 1], null, 60), apcu_key_info('t')['ttl'], apcu_store(['t' => 2], 'not used'), apcu_fetch('t'));
show(apcu_add(['a' => 9, 'new' => 1, 5 => 9, 6 => 1]), apcu_fetch('a'), apcu_fetch('new'), apcu_fetch('6'), apcu_add([]), apcu_add(['fresh' => 1]));
$x = 1; $values = ['ref' => &$x];
show(apcu_store($values), apcu_fetch('ref'));
--EXPECT--
[] 1 [2] 3 
[] "p" "q" [] 
[] 60 [] 2 
{"a":-1,"5":-1} 1 1 1 [] [] 
[] 1 
