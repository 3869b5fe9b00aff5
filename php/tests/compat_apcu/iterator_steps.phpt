--TEST--
larder: compat_apcu: APCUIterator goes step by step, and again
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

$it = new APCUIterator('/^k1$/', APC_ITER_VALUE);
show($it->valid(), $it->key(), $it->current(), $it->current(), $it->next(), $it->valid(), $it->next(), $it->valid());
$it->rewind(); show($it->valid(), $it->key());
$it->rewind(); $it->next(); show($it->valid());
thrown(fn() => $it->key());
thrown(fn() => $it->current());
$seen = [];
foreach (new APCUIterator('/^k/', APC_ITER_KEY) as $key => $item) { apcu_delete($key); $seen[] = $key; }
sort($seen); show($seen, apcu_exists($seen));
$it = new APCUIterator('/^o/', APC_ITER_KEY); show(keys($it), keys($it)); $it->__construct(['none']); show(keys($it));
class Fetching { public array $data = [1]; function __wakeup() { global $loop; if ($it = $loop) { $loop = null; $it->rewind(); $it->valid(); } } }
apcu_clear_cache(); apcu_store('o1', new Fetching); apcu_store('o2', new Fetching);
$loop = new APCUIterator(['o1', 'o2'], APC_ITER_VALUE); $keep = $loop;
show($keep->valid(), $keep->key());
class Throwing { public array $data = [1]; function __wakeup() { throw new RuntimeException('no waking'); } }
apcu_store('o0', new Throwing);
thrown(fn() => iterator_count(new APCUIterator(['o0', 'o1'], APC_ITER_VALUE)));
--EXPECT--
true "k1" {"value":"v1"} {"value":"v1"} null false null false 
true "k1" 
false 
Error: Cannot call key() on invalid iterator
Error: Cannot call current() on invalid iterator
["k0","k1","k2","k3","k4"] [] 
["other"] ["other"] 
[] 
true "o1" 
RuntimeException: no waking
