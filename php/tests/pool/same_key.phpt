--TEST--
larder: pool: a key is another entry in each pool, and in the cache itself
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$a = VolatileCache::pool('a');
$b = VolatileCache::pool('b');
$long = VolatileCache::pool(str_repeat('n', 255));
$binary = VolatileCache::pool("a\0\xff");
var_dump($a->name(), $a->get('k'), $a->get('k', 'default'), $a->has('k'));
VolatileCache::set('k', 'cache');
foreach ([$a, $b, $long, $binary] as $i => $pool) var_dump($pool->set('k', [$i]));
foreach ([$a, $b, $long, $binary] as $pool) echo json_encode($pool->get('k')), "\n";
var_dump(VolatileCache::get('k'), VolatileCache::pool('a')->get('k') === $a->get('k'));
var_dump($a->delete('k'), $a->delete('k'), $a->has('k'), $b->has('k'), VolatileCache::has('k'));
// Pool "x" with key "yk" and pool "xy" with key "k" are two entries.
VolatileCache::pool('x')->set('yk', 1);
var_dump(VolatileCache::pool('xy')->get('k'));
--EXPECT--
string(1) "a"
NULL
string(7) "default"
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
[0]
[1]
[2]
[3]
string(5) "cache"
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(true)
NULL
