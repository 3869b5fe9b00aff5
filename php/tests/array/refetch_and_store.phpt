--TEST--
larder: array: a fetched value can be stored again, whole or in part
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('a', ['x' => ['y' => range(1, 50)], 's' => str_repeat('s', 1000)]);
$a = VolatileCache::get('a');
VolatileCache::set('b', $a);
VolatileCache::set('c', $a['x']);
VolatileCache::set('d', ['wrapped' => $a, 'again' => $a, 'str' => $a['s']]);
VolatileCache::set('a', $a);
VolatileCache::set('e', $a['s']);
VolatileCache::set($a['s'], 'a fetched string as key');
VolatileCache::delete('a');
var_dump(VolatileCache::get('b') === $a, VolatileCache::get('c') === $a['x'], VolatileCache::get('d')['again'] === $a, VolatileCache::get('e') === $a['s'], VolatileCache::get($a['s']));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
string(23) "a fetched string as key"
