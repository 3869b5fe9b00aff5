--TEST--
larder: cache: getMultiple keeps the order and fills in defaults
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::setMultiple(['a' => 1, 'b' => [2], 5 => 'five']);
var_dump(VolatileCache::getMultiple(['b', 'nope', 'a', 5, '5', 'other'], ['nope' => 'default', 'a' => 'unused']));
var_dump(VolatileCache::getMultiple([]));
--EXPECT--
array(5) {
  ["b"]=>
  array(1) {
    [0]=>
    int(2)
  }
  ["nope"]=>
  string(7) "default"
  ["a"]=>
  int(1)
  [5]=>
  string(4) "five"
  ["other"]=>
  NULL
}
array(0) {
}
