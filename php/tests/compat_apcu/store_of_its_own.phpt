--TEST--
larder: compat_apcu: the store is of its own: neither cache sees the other
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

apcu_store('k', 'apcu'); Larder\VolatileCache::set('k', 'larder'); Larder\VolatileCache::set('only', 1);
show(apcu_fetch('k'), Larder\VolatileCache::get('k'), apcu_exists('only'), count(iterator_to_array(new APCUIterator)), count(Larder\VolatileCache::keys()));
apcu_clear_cache();
show(apcu_exists('k'), Larder\VolatileCache::get('k'), Larder\VolatileCache::lock('k'), apcu_entry('k', fn() => 'not waiting'));
--EXPECT--
"apcu" "larder" false 1 2 
false "larder" true "not waiting" 
