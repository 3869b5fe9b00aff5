--TEST--
larder: compat_apcu: a time to live is in seconds; a negative one is over at once
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

for ($ttl = 1; ; $ttl *= 2) { /* try again with a longer time until the machine is quick enough */
    $start = hrtime(true);
    apcu_store('k', 1, $ttl); apcu_store('long', 1, 10000); apcu_store('forever', 1);
    $got = [apcu_fetch('k'), apcu_key_info('long')['ttl'], apcu_key_info('forever')['ttl']];
    if (hrtime(true) - $start < 9e8) break;
}
show(...$got);
sleep($ttl + 2);
show(apcu_fetch('k'), apcu_exists('k'), apcu_fetch('long'), apcu_fetch('forever'));
show(apcu_store('k', 1, 60), apcu_store('k', 2, -1), apcu_exists('k'), apcu_add('k', 3, -1), apcu_exists('k'), apcu_add('k', 4), apcu_fetch('k'), apcu_add('k', 5, -1), apcu_fetch('k'));
show(apcu_store('k', 1, 100), apcu_store('k', 2), apcu_key_info('k')['ttl'], apcu_entry('gone', fn() => 'v', -1), apcu_exists('gone'), apcu_store(['gone' => 1], null, -1), apcu_exists('gone'));
thrown(fn() => apcu_store('k', fn() => 1, -1));
--EXPECT--
1 10000 0 
false false 1 1 
true true false true false true 4 false 4 
true true 0 "v" false [] false 
Exception: Serialization of 'Closure' is not allowed
