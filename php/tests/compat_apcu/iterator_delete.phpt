--TEST--
larder: compat_apcu: apcu_delete() of an APCUIterator removes what it finds
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
function keys(APCUIterator $it): array { $keys = array_keys(iterator_to_array($it)); sort($keys); return $keys; }
for ($i = 0; $i < 5; $i++) apcu_store("k$i", "v$i", 100 + $i);
apcu_store('other', [1]);

show(apcu_delete(new APCUIterator('/^k[12]/')), keys(new APCUIterator));
show(apcu_delete(new APCUIterator('/^zz/')), apcu_delete(new APCUIterator(['k3', 'none'])), keys(new APCUIterator));
show(apcu_delete(new APCUIterator), keys(new APCUIterator));
--EXPECT--
true ["k0","k3","k4","other"] 
true true ["k0","k4","other"] 
true [] 
