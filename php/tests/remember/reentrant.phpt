--TEST--
larder: remember: remember that needs its own result is reported
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

$f = function () use (&$f) { return VolatileCache::remember('k', $f); };
try { VolatileCache::remember('k', $f); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::has('k'), VolatileCache::lock('k'));
VolatileCache::unlock('k');
echo VolatileCache::remember('a', fn() => VolatileCache::remember('b', fn() => 'b') . PinnedCache::remember('a', fn() => 'p') . 'a'), "\n";
--EXPECT--
remember() of key "k" was called by its own $compute
bool(false)
bool(true)
bpa
