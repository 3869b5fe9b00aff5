--TEST--
larder: array: references: the top is followed, single ones too, shared ones are kept
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$x = [1, 2]; $r = &$x;
VolatileCache::set('top', $r);
var_dump(VolatileCache::getCacheStoreType('top')->name);
$rows = [['a' => 1], ['a' => 2]];
foreach ($rows as &$row) $row['b'] = 1;
unset($row);
VolatileCache::set('single', $rows);
var_dump(VolatileCache::getCacheStoreType('single')->name, VolatileCache::get('single') === [['a' => 1, 'b' => 1], ['a' => 2, 'b' => 1]]);
$v = 1; $shared = ['a' => &$v, 'b' => &$v];
VolatileCache::set('shared', $shared);
var_dump(VolatileCache::getCacheStoreType('shared')->name);
$got = VolatileCache::get('shared');
$got['a'] = 'changed';
var_dump($got['b'], $v);
--EXPECT--
string(11) "SharedGraph"
string(11) "SharedGraph"
bool(true)
string(11) "SharedGraph"
string(7) "changed"
int(1)
