--TEST--
larder: compat_apcu: very long times to live are as good as none
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

foreach ([PHP_INT_MAX, 1 << 40, 1 << 31, 9000000000000000] as $ttl) show(apcu_store("k$ttl", 1, $ttl), apcu_fetch("k$ttl"), apcu_inc("n$ttl", 1, $s, $ttl), apcu_fetch("n$ttl"), apcu_key_info("k$ttl")['ttl'] >= 1 << 31);
show(apcu_inc('n', 5, $s, -1), $s); usleep(5000); show(apcu_exists('n'));
--EXPECT--
true 1 1 1 true 
true 1 1 1 true 
true 1 1 1 true 
true 1 1 1 true 
false false 
false 
