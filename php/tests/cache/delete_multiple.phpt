--TEST--
larder: cache: deleteMultiple is true when all were there
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::setMultiple(['a' => 1, 'b' => 2, 3 => 3]);
var_dump(VolatileCache::deleteMultiple(['a', 3]), VolatileCache::deleteMultiple(['b', 'a']), VolatileCache::has('b'), VolatileCache::deleteMultiple([]));
--EXPECT--
bool(true)
bool(false)
bool(false)
bool(true)
