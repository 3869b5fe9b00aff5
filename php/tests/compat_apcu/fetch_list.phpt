--TEST--
larder: compat_apcu: apcu_fetch() of a list looks at its elements only, in their order, and skips what is no string
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
apcu_store(['a' => 1, '5' => 'five', 'b' => null]);
show(apcu_fetch(['b', 'none', 'a'], $s), $s, array_keys(apcu_fetch(['b', 'a'])));
show(apcu_fetch(['x' => 'a', 'y' => '5']), apcu_fetch(['a', 'a']));
foreach ([5, 1.5, null, true, [], new stdClass, STDIN] as $key) show(apcu_fetch([$key, 'a'], $s), $s);
var_dump(apcu_fetch(['5']));
--EXPECT--
{"b":null,"a":1} true ["b","a"] 
{"a":1,"5":"five"} {"a":1} 
warned 
{"a":1} true 
warned 
{"a":1} true 
warned 
{"a":1} true 
warned 
{"a":1} true 
warned 
{"a":1} true 
warned 
{"a":1} true 
warned 
{"a":1} true 
array(1) {
  [5]=>
  string(4) "five"
}
