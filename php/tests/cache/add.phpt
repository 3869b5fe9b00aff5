--TEST--
larder: cache: add stores only where there is nothing
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

foreach ([VolatileCache::class, PinnedCache::class] as $c) {
    var_dump($c::add('k', 'first'), $c::add('k', 'second'), $c::get('k'));
    $c::delete('k');
    var_dump($c::add('k', [3]), $c::get('k'));
}
--EXPECT--
bool(true)
bool(false)
string(5) "first"
bool(true)
array(1) {
  [0]=>
  int(3)
}
bool(true)
bool(false)
string(5) "first"
bool(true)
array(1) {
  [0]=>
  int(3)
}
