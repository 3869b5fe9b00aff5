--TEST--
larder: compat_apcu: APCUIterator finds by regular expression, by list, or all
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

show(keys(new APCUIterator), keys(new APCUIterator(null)), keys(new APCUIterator('')), keys(new APCUIterator(5)));
show(keys(new APCUIterator('/^k[0-2]/')), keys(new APCUIterator('#er$#i')), keys(new APCUIterator('/zz/')), keys(new APCUIterator('/\x{e9}/u')));
show(keys(new APCUIterator(['k1', 'other', 'none', 'k1'])), keys(new APCUIterator([])), keys(new APCUIterator(['k1', 5, null, 1.5])));
show(keys(new APCUIterator(search: '/k1/', chunk_size: 1)), keys(new APCUIterator(null, APC_ITER_KEY, 2)), keys(new APCUIterator(null, APC_ITER_ALL, 0, APC_LIST_DELETED)));
apcu_store("caf\xc3\xa9", 1); apcu_store("bad\xff", 1);
show(keys(new APCUIterator('/\x{e9}/u')), count(keys(new APCUIterator('/./u'))));
--EXPECT--
["k0","k1","k2","k3","k4","other"] ["k0","k1","k2","k3","k4","other"] ["k0","k1","k2","k3","k4","other"] ["k0","k1","k2","k3","k4","other"] 
["k0","k1","k2"] ["other"] [] [] 
["k1","other"] [] ["k1"] 
["k1"] ["k0","k1","k2","k3","k4","other"] [] 
["caf\u00e9"] 7 
