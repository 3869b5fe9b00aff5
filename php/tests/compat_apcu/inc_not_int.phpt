--TEST--
larder: compat_apcu: apcu_inc() and apcu_dec() refuse what is not an int
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

foreach (['text' => 'text', 'number' => '12', 'float' => 1.5, 'bool' => true, 'null' => null, 'array' => [1]] as $key => $value) {
    apcu_store($key, $value);
    $s = $t = null;
    show(apcu_inc($key, 1, $s), $s, apcu_dec($key, 1, $t), $t, apcu_cas($key, 1, 2), apcu_fetch($key) === $value);
}
apcu_store('object', new ArrayObject([1]));
show(apcu_inc('object'), apcu_fetch('object')[0]);
--EXPECT--
false false false false false true 
false false false false false true 
false false false false false true 
false false false false false true 
false false false false false true 
false false false false false true 
false 1 
