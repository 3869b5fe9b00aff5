--TEST--
larder: ini: with larder.enable=0 every get misses and every write fails quietly
--EXTENSIONS--
larder
--INI--
larder.enable=0
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;
var_dump(VolatileCache::info()->available, VolatileCache::set('k', 1), VolatileCache::get('k', 'd'), VolatileCache::has('k'), VolatileCache::delete('k'), VolatileCache::increment('k'), VolatileCache::lock('k'), VolatileCache::remember('k', fn() => 'computed'), VolatileCache::getMultiple(['a']), VolatileCache::setMultiple(['a' => 1]), VolatileCache::clear(), VolatileCache::keyInfo('k'), VolatileCache::keys(), VolatileCache::getCacheStoreType('k')->name);
echo VolatileCache::info()->failure_reason, "\n";
--EXPECT--
bool(false)
bool(false)
string(1) "d"
bool(false)
bool(false)
bool(false)
bool(false)
string(8) "computed"
array(1) {
  ["a"]=>
  NULL
}
bool(false)
bool(false)
NULL
array(0) {
}
string(8) "NotFound"
larder.enable or larder.enable_cli is 0
