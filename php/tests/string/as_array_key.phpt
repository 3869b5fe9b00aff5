--TEST--
larder: string: a fetched string works as array key and property name
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', str_repeat('key', 200));
$s = VolatileCache::get('k');
$a = [$s => 1, 'other' => 2];
var_dump($a[str_repeat('key', 200)], isset($a[VolatileCache::get('k')]), array_search(1, $a) === $s);
$o = new stdClass; $o->$s = 5;
var_dump($o->{str_repeat('key', 200)}, property_exists($o, $s));
VolatileCache::set('n', ['123', 'x' => '45']);
$n = VolatileCache::get('n');
var_dump([$n[0] => 'int key']);
--EXPECT--
int(1)
bool(true)
bool(true)
int(5)
bool(true)
array(1) {
  [123]=>
  string(7) "int key"
}
