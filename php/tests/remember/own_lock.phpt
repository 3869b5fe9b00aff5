--TEST--
larder: remember: remember works under a lock that the caller has
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::lock('k');
var_dump(VolatileCache::remember('k', fn() => 5), VolatileCache::unlock('k'));
--EXPECT--
int(5)
bool(true)
