--TEST--
larder: array: fetching a large array takes no request memory
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', range(1, 100000));
VolatileCache::get('k');
$before = memory_get_usage();
$v = VolatileCache::get('k');
$after = memory_get_usage();
var_dump($after - $before, count($v), $v[99999]);
$before = memory_get_usage();
for ($i = 0; $i < 1000; $i++) { $v = VolatileCache::get('k'); foreach ($v as $x) break; }
var_dump(memory_get_usage() - $before);
--EXPECT--
int(0)
int(100000)
int(100000)
int(0)
