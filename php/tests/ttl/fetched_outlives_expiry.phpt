--TEST--
larder: ttl: what was fetched stays when the entry expires
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', range(1, 100), 0.05);
$v = VolatileCache::get('k');
usleep(150000);
for ($i = 0; $i < 1000; $i++) VolatileCache::set("f$i", range(1, 100));
var_dump(VolatileCache::has('k'), $v === range(1, 100));
--EXPECT--
bool(false)
bool(true)
