--TEST--
larder: compat_apcu: apcu_inc() and apcu_dec() count, and create what is not there
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

apcu_store('n', 5);
show(apcu_inc('n'), apcu_inc('n', 10, $s), $s, apcu_dec('n', 3), apcu_dec('n'), apcu_fetch('n'));
show(apcu_inc('up', 7, $s), $s, apcu_fetch('up'), apcu_dec('down', 7, $s), $s, apcu_fetch('down'), apcu_inc('zero', 0), apcu_exists('zero'));
show(apcu_inc('negative', -5), apcu_dec('negative', -7), apcu_inc('negative', 0), apcu_inc(key: 'negative', ttl: 5));
show(apcu_inc('ttl', 1, $s, 100), apcu_key_info('ttl')['ttl'], apcu_inc('ttl', 1, $s, 50), apcu_key_info('ttl')['ttl'], apcu_inc('up', 1, $s, 50), apcu_key_info('up')['ttl']);
thrown(fn() => apcu_inc('n', 'x'));
thrown(fn() => apcu_inc());
show(apcu_fetch('n'));
--EXPECT--
6 16 true 13 12 12 
7 true 7 -7 true -7 0 true 
-5 2 2 3 
1 100 2 100 8 0 
TypeError: apcu_inc(): Argument #2 ($step) must be of type int, string given
ArgumentCountError: apcu_inc() expects at least 1 argument, 0 given
12 
