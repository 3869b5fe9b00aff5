--TEST--
larder: immutable_cache: an entry is added once and stays
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
var_dump(immutable_cache_add('k', [1]), immutable_cache_add('k', [2]), immutable_cache_fetch('k'));
echo "without a value: "; var_dump(immutable_cache_add('none'), immutable_cache_exists('none'));
echo "null: "; var_dump(immutable_cache_add('null', null), immutable_cache_fetch('null', $ok), $ok);
$value = 'referenced'; $reference = &$value;
immutable_cache_add('r', $reference); $value = 'changed';
var_dump(immutable_cache_fetch('r'));
echo "other keys: "; var_dump(immutable_cache_add(5, 'int'));
var_dump(immutable_cache_add(null, 1));
echo "bytes: "; var_dump(immutable_cache_add("\0\xff", 'b'), immutable_cache_fetch("\0\xff"), immutable_cache_add(str_repeat('k', 65535), 1));
var_dump(immutable_cache_add('', 1), immutable_cache_add(str_repeat('k', 65536), 1));
try { immutable_cache_add('closure', ['deep' => function () {}]); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
var_dump(immutable_cache_exists('closure'));
try { immutable_cache_add(); } catch (ArgumentCountError $e) { echo $e->getMessage(), "\n"; }
--EXPECTF--
bool(true)
bool(false)
array(1) {
  [0]=>
  int(1)
}
without a value: bool(false)
bool(false)
null: bool(true)
NULL
bool(true)
string(10) "referenced"
other keys: 
Warning: immutable_cache_add(): immutable_cache_store expects key parameter to be a string or an array of key/value pairs. in %s on line %d
bool(false)

Warning: immutable_cache_add(): immutable_cache_store expects key parameter to be a string or an array of key/value pairs. in %s on line %d
bool(false)
bytes: bool(true)
string(1) "b"
bool(true)

Warning: immutable_cache_add(): The key must be at most 65535 bytes long, 65536 given in %s on line %d
bool(true)
bool(false)
Serialization of 'Closure' is not allowed
bool(false)
immutable_cache_add() expects at least 1 argument, 0 given
