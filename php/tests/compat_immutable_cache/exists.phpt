--TEST--
larder: immutable_cache: one key, or those of a list
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
immutable_cache_add(['a' => false, 'b' => null, '1' => 1]);
var_dump(immutable_cache_exists('a'), immutable_cache_exists('c'), immutable_cache_exists(''), immutable_cache_exists(1));
var_dump(immutable_cache_exists(['a', 'c', 'b', 'a', '1']), immutable_cache_exists([]), immutable_cache_exists([1]));
--EXPECTF--
bool(true)
bool(false)
bool(false)
bool(true)

Warning: immutable_cache_exists(): immutable_cache_exists() expects a string or array of strings. in %s on line %d
array(3) {
  ["a"]=>
  bool(true)
  ["b"]=>
  bool(true)
  [1]=>
  bool(true)
}
array(0) {
}
array(0) {
}
