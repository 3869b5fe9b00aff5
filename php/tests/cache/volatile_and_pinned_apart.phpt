--TEST--
larder: cache: the two caches do not see each other
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

VolatileCache::set('k', 'v');
PinnedCache::set('k', 'p');
var_dump(VolatileCache::get('k'), PinnedCache::get('k'));
VolatileCache::delete('k');
var_dump(PinnedCache::get('k'));
--EXPECT--
string(1) "v"
string(1) "p"
string(1) "p"
