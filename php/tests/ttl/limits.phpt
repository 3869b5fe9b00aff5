--TEST--
larder: ttl: very long times are as good as none
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

foreach ([PHP_INT_MAX, 1e300, 1e12, 0.0000001] as $ttl) { var_dump(VolatileCache::set('k', 1, $ttl)); if ($ttl > 1) var_dump(VolatileCache::get('k')); }
--EXPECT--
bool(true)
int(1)
bool(true)
int(1)
bool(true)
int(1)
bool(true)
