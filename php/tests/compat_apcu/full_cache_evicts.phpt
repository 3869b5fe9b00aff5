--TEST--
larder: compat_apcu: when memory runs out others are evicted; what can never fit gives false
--EXTENSIONS--
larder
--INI--
larder.form=ready
larder.compat=apcu
apc.shm_size=1M
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

for ($i = 0; $i < 300; $i++) if (!apcu_store("k$i", str_repeat('x', 10000))) echo "$i was refused\n";
show(apcu_fetch('k299') === str_repeat('x', 10000), apcu_exists('k0'), apcu_cache_info(true)['expunges'] > 100);
$large = str_repeat('x', 2 << 20);
show(apcu_store('large', $large), apcu_store(['large' => $large, 's' => 1]), apcu_add('large', [$large]), strlen(apcu_entry('large', fn() => $large)), apcu_exists('large'), apcu_fetch('s'));
--EXPECT--
true false true 
false {"large":-1} false 2097152 false 1 
