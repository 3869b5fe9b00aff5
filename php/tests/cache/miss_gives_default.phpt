--TEST--
larder: cache: a miss gives the default, which may be anything
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

var_dump(VolatileCache::get('no'), VolatileCache::get('no', 7), VolatileCache::get('no', [1]), VolatileCache::get('no', default: 'x'));
$o = new stdClass;
var_dump(VolatileCache::get('no', $o) === $o);
VolatileCache::set('null', null);
var_dump(VolatileCache::get('null', 'default'));
--EXPECT--
NULL
int(7)
array(1) {
  [0]=>
  int(1)
}
string(1) "x"
bool(true)
NULL
