--TEST--
larder: compat_apcu: apcu_dec() and apcu_cas() leave what is no int as it is
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

apcu_store(['string' => '5', 'float' => 5.0, 'null' => null, 'bool' => true, 'array' => [5], 'object' => (object) [5]]);
foreach (array_keys(apcu_exists(['string', 'float', 'null', 'bool', 'array', 'object'])) as $key) {
    $s = 'unset';
    $before = apcu_fetch($key);
    show($key, apcu_dec($key, 1, $s), $s, apcu_cas($key, 5, 6), apcu_cas($key, 1, 6), apcu_cas($key, 0, 6), apcu_fetch($key) == $before);
}
--EXPECT--
"string" false false false false false true 
"float" false false false false false true 
"null" false false false false false true 
"bool" false false false false false true 
"array" false false false false false true 
"object" false false false false false true 
