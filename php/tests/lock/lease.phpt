--TEST--
larder: lock: a lease ends the lock
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

var_dump(VolatileCache::lock('k', 0.05));
usleep(120000);
var_dump(VolatileCache::lock('k', 10), VolatileCache::unlock('k'));
--EXPECT--
bool(true)
bool(true)
bool(true)
