--TEST--
larder: compat_apcu: apcu_cas() and apcu_inc() of several processes lose nothing
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

apcu_store('swapped', 0); apcu_store('added', PHP_INT_MAX - 200000);
for ($i = 0; $i < 4; $i++) {
    if (pcntl_fork() === 0) {
        for ($n = 0; $n < 100000; $n++) {
            do { $old = apcu_fetch('swapped'); } while (!apcu_cas('swapped', $old, $old + 1));
            apcu_inc('added');
        }
        exit;
    }
}
while (pcntl_wait($status) > 0);
show(apcu_fetch('swapped'), apcu_fetch('added') - PHP_INT_MIN);
--EXPECT--
400000 199999 
