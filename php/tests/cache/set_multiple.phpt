--TEST--
larder: cache: setMultiple takes numeric keys and references
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$x = 'referenced';
$values = ['a' => &$x, 7 => [1], -3 => null, '08' => 8];
var_dump(VolatileCache::setMultiple($values), VolatileCache::get('a'), VolatileCache::get('7'), VolatileCache::has('-3'), VolatileCache::get('08'));
var_dump(VolatileCache::setMultiple([]), VolatileCache::setMultiple(['o' => new ArrayObject([1, 2])]), count(VolatileCache::get('o')));
--EXPECT--
bool(true)
string(10) "referenced"
array(1) {
  [0]=>
  int(1)
}
bool(true)
int(8)
bool(true)
bool(true)
int(2)
