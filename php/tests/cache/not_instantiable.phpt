--TEST--
larder: cache: the classes are static, final and not instantiable
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

foreach (['VolatileCache', 'PinnedCache', 'StaticCacheInfo', 'KeyInfo'] as $c) {
    try { $c = "Larder\\$c"; new $c; } catch (Error $e) { echo $e->getMessage(), "\n"; }
    var_dump((new ReflectionClass($c))->isFinal());
}
--EXPECT--
Call to private Larder\VolatileCache::__construct() from global scope
bool(true)
Call to private Larder\PinnedCache::__construct() from global scope
bool(true)
Call to private Larder\StaticCacheInfo::__construct() from global scope
bool(true)
Call to private Larder\KeyInfo::__construct() from global scope
bool(true)
