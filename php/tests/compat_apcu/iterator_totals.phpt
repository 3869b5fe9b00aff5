--TEST--
larder: compat_apcu: APCUIterator counts what it finds
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

foreach (['/^k/', ['k1', 'k2', 'none'], '/^zz/', null] as $search) {
    $it = new APCUIterator($search);
    show($it->getTotalCount(), $it->getTotalSize() > 0, is_int($it->getTotalHits()), keys($it) === keys($it));
}
--EXPECT--
5 true true true 
2 true true true 
0 false true true 
6 true true true 
