--TEST--
larder: ttl: entries expire, also by fractions of a second
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('short', 'x', 0.05); VolatileCache::set('long', 'y', 100); VolatileCache::set('forever', 'z', 0); VolatileCache::add('added', 1, 0.05); VolatileCache::setMultiple(['m' => 1], 0.05);
var_dump(VolatileCache::get('short'));
usleep(150000);
var_dump(VolatileCache::get('short'), VolatileCache::get('long'), VolatileCache::get('forever'), VolatileCache::has('added'), VolatileCache::has('m'), VolatileCache::add('short', 'new'));
--EXPECT--
string(1) "x"
NULL
string(1) "y"
string(1) "z"
bool(false)
bool(false)
bool(true)
