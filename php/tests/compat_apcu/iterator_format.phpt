--TEST--
larder: compat_apcu: APCUIterator gives what the format asks for
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

foreach (['NONE', 'TYPE', 'KEY', 'VALUE', 'TTL', 'REFCOUNT', 'DTIME'] as $name) show($name, iterator_to_array(new APCUIterator('/k1/', constant("APC_ITER_$name"))));
foreach (['NUM_HITS', 'MTIME', 'CTIME', 'ATIME', 'MEM_SIZE'] as $name) show($name, array_map('gettype', iterator_to_array(new APCUIterator('/k1/', constant("APC_ITER_$name")))['k1']));
show(iterator_to_array(new APCUIterator('/k1/', APC_ITER_KEY | APC_ITER_VALUE)), array_keys(iterator_to_array(new APCUIterator('/k1/'))['k1']), count(iterator_to_array(new APCUIterator('/k1/', -1))['k1']));
foreach (new APCUIterator(['other'], APC_ITER_VALUE) as $key => $item) show($key, $item);
apcu_store('7', 1); foreach (new APCUIterator('/7/', APC_ITER_KEY) as $key => $item) var_dump($key, $item['key']);
--EXPECT--
"NONE" {"k1":[]} 
"TYPE" {"k1":{"type":"user"}} 
"KEY" {"k1":{"key":"k1"}} 
"VALUE" {"k1":{"value":"v1"}} 
"TTL" {"k1":{"ttl":101}} 
"REFCOUNT" {"k1":{"ref_count":0}} 
"DTIME" {"k1":{"deletion_time":0}} 
"NUM_HITS" {"num_hits":"integer"} 
"MTIME" {"mtime":"integer"} 
"CTIME" {"creation_time":"integer"} 
"ATIME" {"access_time":"integer"} 
"MEM_SIZE" {"mem_size":"integer"} 
{"k1":{"key":"k1","value":"v1"}} ["type","key","value","num_hits","mtime","creation_time","deletion_time","access_time","ref_count","mem_size","ttl"] 11 
"other" {"value":[1]} 
string(1) "7"
string(1) "7"
