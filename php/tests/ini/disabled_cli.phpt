--TEST--
larder: ini: larder.enable_cli=0 switches it off for the command line
--EXTENSIONS--
larder
--INI--
larder.enable_cli=0
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;
var_dump(VolatileCache::info()->available, VolatileCache::set('k', 1), VolatileCache::get('k', 'd'), VolatileCache::has('k'), VolatileCache::delete('k'), VolatileCache::increment('k'), VolatileCache::lock('k'), VolatileCache::remember('k', fn() => 'computed'), VolatileCache::getMultiple(['a']), VolatileCache::setMultiple(['a' => 1]), VolatileCache::clear(), VolatileCache::keyInfo('k'), VolatileCache::keys(), VolatileCache::getCacheStoreType('k')->name);
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
