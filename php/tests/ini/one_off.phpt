--TEST--
larder: ini: a size of 0 switches one store off
--EXTENSIONS--
larder
--INI--
larder.pinned_size=0
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;
var_dump(VolatileCache::set('k', 1), PinnedCache::set('k', 1), PinnedCache::info()->failure_reason, PinnedCache::info()->enabled);
--EXPECT--
bool(true)
bool(false)
string(23) "larder.pinned_size is 0"
bool(false)
