--TEST--
larder: counter: increment keeps the time to live; only a new counter gets the given one
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::increment('n', 1, 100);
VolatileCache::increment('n', 1, 5000);
var_dump(VolatileCache::keyInfo('n')->ttl <= 100, VolatileCache::keyInfo('n')->ttl > 50, VolatileCache::increment('forever'), VolatileCache::keyInfo('forever')->ttl);
--EXPECT--
bool(true)
bool(true)
int(1)
NULL
