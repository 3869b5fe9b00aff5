--TEST--
larder: compat_apcu: apcu_exists() of a list returns the existing keys, each with true
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
apcu_store(['a' => false, 'b' => null, '7' => 0]);
var_dump(apcu_exists(['b', 'none', 'a', 'b', '7']));
foreach ([5, 1.5, null, true, [], new stdClass] as $key) show(apcu_exists([$key, 'a']));
show(apcu_exists(['x' => 'none']), apcu_exists(7), apcu_exists(null));
apcu_delete('a');
show(apcu_exists(['a', 'b']));
--EXPECT--
array(3) {
  ["b"]=>
  bool(true)
  ["a"]=>
  bool(true)
  [7]=>
  bool(true)
}
warned 
{"a":true} 
warned 
{"a":true} 
warned 
{"a":true} 
warned 
{"a":true} 
warned 
{"a":true} 
warned 
{"a":true} 
[] true false 
{"b":true} 
