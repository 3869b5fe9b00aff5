--TEST--
larder: immutable_cache: an array adds its elements and returns the failed ones; an element that throws does not stop the others
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
immutable_cache_add('b', 'first');
var_dump(immutable_cache_add(['a' => 1, 'b' => 2, 7 => 'seven', '08' => 'string']));
var_dump(immutable_cache_add(['a' => 1, 7 => 2]));
var_dump(immutable_cache_add([]), immutable_cache_add(['c' => 1], 'ignored'));
var_dump(immutable_cache_fetch(['a', 'b', '7', '08', 'c']));
$x = 'by reference'; $values = ['ref' => &$x];
immutable_cache_add($values); var_dump(immutable_cache_fetch('ref'));
try { immutable_cache_add(['before' => 1, 'bad' => [function () {}], 'after' => 1]); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
var_dump(immutable_cache_exists(['before', 'bad', 'after']));
--EXPECT--
array(1) {
  ["b"]=>
  int(-1)
}
array(2) {
  ["a"]=>
  int(-1)
  [7]=>
  int(-1)
}
array(0) {
}
array(0) {
}
array(5) {
  ["a"]=>
  int(1)
  ["b"]=>
  string(5) "first"
  [7]=>
  string(5) "seven"
  ["08"]=>
  string(6) "string"
  ["c"]=>
  int(1)
}
string(12) "by reference"
Serialization of 'Closure' is not allowed
array(2) {
  ["before"]=>
  bool(true)
  ["after"]=>
  bool(true)
}
