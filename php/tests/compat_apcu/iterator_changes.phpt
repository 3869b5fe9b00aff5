--TEST--
larder: compat_apcu: stores, deletes and expiries during a walk do not disturb an APCUIterator
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

for ($i = 0; $i < 200; $i++) apcu_store("key$i", $i);
$seen = [];
foreach (new APCUIterator('/^key/', APC_ITER_VALUE) as $key => $item) {
    $seen[$key] = $item['value'];
    apcu_delete($key);
    apcu_store("added$key", 1);
}
ksort($seen, SORT_NATURAL);
show(count($seen), $seen['key77'], count(array_filter(array_keys($seen), fn($key) => str_starts_with($key, 'added'))));
$it = new APCUIterator(['x', 'y', 'z'], APC_ITER_VALUE);
apcu_store(['x' => 1, 'y' => 2, 'z' => 3]);
$it->rewind();
apcu_delete('x'); apcu_store('y', 'new');
show($it->valid(), $it->key(), $it->current());
apcu_clear_cache();
show($it->key(), $it->current());
foreach (new APCUIterator as $key => $item) echo "nothing is left\n";
--EXPECT--
200 77 0 
true "x" {"value":1} 
"x" {"value":1} 
