--TEST--
larder: array: a sub-array that occurs often is stored once
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$a = ['leaf' => str_repeat('x', 100)];
for ($i = 0; $i < 25; $i++) $a = [$a, $a]; // 2^25 leaves
var_dump(VolatileCache::set('k', $a), VolatileCache::keyInfo('k')->size < 10000);
$g = VolatileCache::get('k');
for ($i = 0; $i < 25; $i++) $g = $g[$i % 2];
var_dump($g);
--EXPECT--
bool(true)
bool(true)
array(1) {
  ["leaf"]=>
  string(100) "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
}
