--TEST--
larder: compat_apcu: any string is a key, also an empty one and one with NULs
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

$keys = ['', "\0", "\0\0", "\0a", 'a', "a\0b", '0', '-1', ' ', str_repeat('k', 65534), "\xff\xfe"];
foreach ($keys as $i => $key) show(apcu_exists($key), apcu_store($key, $i), apcu_exists($key));
foreach ($keys as $i => $key) if (apcu_fetch($key) !== $i || apcu_fetch([$key])[$key] !== $i || apcu_add($key, 1) || apcu_inc($key) !== $i + 1 || !apcu_cas($key, $i + 1, $i) || apcu_entry($key, fn() => 'x') !== $i || !apcu_key_info($key)) echo "key $i differs\n";
$seen = [];
foreach (new APCUIterator(null, APC_ITER_VALUE) as $key => $item) $seen[$item['value']] = $key === $keys[$item['value']];
ksort($seen);
show(count($seen), array_unique($seen), count(apcu_cache_info()['cache_list']));
$listed = array_column(apcu_cache_info()['cache_list'], 'info'); sort($listed); sort($keys); show($listed === $keys);
foreach ($keys as $key) if (!apcu_delete($key) || apcu_exists($key)) echo "a key stays\n";
show(apcu_cache_info(true)['num_entries']);
show(apcu_entry('', fn($key) => [$key]), apcu_fetch(''), apcu_entry("\0x", fn($key) => strlen($key)));
--EXPECT--
false true true 
false true true 
false true true 
false true true 
false true true 
false true true 
false true true 
false true true 
false true true 
false true true 
false true true 
11 [true] 11 
true 
0 
[""] [""] 2 
