--TEST--
larder: compat_apcu: apcu_delete() of a list returns the missing keys, as they were given
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

set_error_handler(function (int $level, string $text) { echo $level === E_WARNING ? 'warned ' : "level $level ", "\n"; return true; });
apcu_store(['a' => 1, 'b' => 2, '5' => 3]);
$object = new stdClass;
$failed = apcu_delete(['x' => 'a', 5, null, 1.5, [1], $object, 'none', 'a']);
show($failed, array_is_list($failed));
var_dump($failed[4] === $object, apcu_exists(['a', 'b', '5']) === ['b' => true, 5 => true]);
$key = 'b'; $keys = [&$key];
show(apcu_delete($keys), apcu_delete($keys), apcu_exists('b'));
--EXPECT--
warned 
warned 
warned 
warned 
warned 
[5,null,1.5,[1],{},"none","a"] true 
bool(true)
bool(true)
[] ["b"] false 
