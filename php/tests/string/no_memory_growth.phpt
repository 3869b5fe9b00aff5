--TEST--
larder: string: fetching a long string takes no request memory
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', str_repeat('x', 1000000));
VolatileCache::get('k');
$before = memory_get_usage();
$v = VolatileCache::get('k');
var_dump(memory_get_usage() - $before, strlen($v));
--EXPECT--
int(0)
int(1000000)
