--TEST--
larder: compat_apcu: apcu_add() stores only what is not there
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

show(apcu_add('k', 1), apcu_add('k', 2), apcu_fetch('k'), apcu_delete('k'), apcu_add('k', 3, 60), apcu_fetch('k'), apcu_key_info('k')['ttl']);
show(apcu_add('a', [1]), apcu_add('a', 1), apcu_fetch('a'), apcu_add('s', 'text'), apcu_add('s', 1), apcu_add('without value'), apcu_exists('without value'));
apcu_store('expiring', 1, 1); sleep(3);
show(apcu_add('expiring', 2), apcu_fetch('expiring'));
--EXPECT--
true false 1 true true 3 60 
true false [1] true false false false 
true 2 
