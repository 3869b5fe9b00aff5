--TEST--
larder: remember: an exception passes and frees the key
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

try { VolatileCache::remember('k', function () { throw new RuntimeException('computing failed'); }); } catch (RuntimeException $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::has('k'), VolatileCache::lock('k'), VolatileCache::unlock('k'), VolatileCache::remember('k', fn() => 'fine'));
--EXPECT--
computing failed
bool(false)
bool(true)
bool(true)
string(4) "fine"
