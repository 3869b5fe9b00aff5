--TEST--
larder: compat_apcu: a fetched value stays unchanged until the request ends
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
apc.shm_size=4M
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

apcu_store('k', range(1, 1000)); $v = apcu_fetch('k'); $list = iterator_to_array(new APCUIterator('/k/', APC_ITER_VALUE));
apcu_store('k', 'other'); apcu_clear_cache();
for ($i = 0; $i < 1000; $i++) apcu_store("f$i", range(1, 300));
show($v === range(1, 1000), $list['k']['value'] === range(1, 1000), apcu_exists('k'));
--EXPECT--
true true false 
