--TEST--
larder: compat user_cache: storeMultiple and fetchMultiple keep the order and the kind of keys
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
$c = UserCache\Cache::getPool('multiple');
var_dump($c->storeMultiple([123 => 'int', '456' => 'digits', 'text' => ['x']]), $c->storeMultiple([]), $c->fetchMultiple([]));
var_dump($c->fetchMultiple(['text', 789, '456', 123], 'default'), $c->fetchMultiple(['none', 123]));
var_dump($c->fetch('123'), $c->storeMultiple(['a' => 1, 'b' => 2], 0.05), usleep(150000), $c->fetchMultiple(['a', 'b'], 0));
--EXPECT--
bool(true)
bool(true)
array(0) {
}
array(4) {
  ["text"]=>
  array(1) {
    [0]=>
    string(1) "x"
  }
  [789]=>
  string(7) "default"
  [456]=>
  string(6) "digits"
  [123]=>
  string(3) "int"
}
array(2) {
  ["none"]=>
  NULL
  [123]=>
  string(3) "int"
}
string(3) "int"
bool(true)
NULL
array(2) {
  ["a"]=>
  int(0)
  ["b"]=>
  int(0)
}
