--TEST--
larder: compat opcache: info() is an object of the class of the RFC, about the same store
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
larder.volatile_size=1M
larder.pinned_size=2M
--SKIPIF--
<?php
if (class_exists('OPcache\VolatileCache') && (new ReflectionClass('OPcache\VolatileCache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
use OPcache\VolatileCache;

VolatileCache::set('k', 1);
var_dump(VolatileCache::info(), OPcache\PinnedCache::info()->configured_memory);
var_dump(VolatileCache::info()->shared_memory === Larder\VolatileCache::info()->shared_memory);
try { $info = VolatileCache::info(); $info->enabled = false; } catch (Error $e) { echo $e->getMessage(), "\n"; }
var_dump(Larder\VolatileCache::info() instanceof Larder\StaticCacheInfo, Larder\VolatileCache::info()->entry_limit > 0);
--EXPECT--
object(OPcache\StaticCacheInfo)#1 (10) {
  ["enabled"]=>
  bool(true)
  ["available"]=>
  bool(true)
  ["startup_failed"]=>
  bool(false)
  ["backend_initialized"]=>
  bool(true)
  ["configured_memory"]=>
  int(1048576)
  ["shared_memory"]=>
  int(4096)
  ["entry_count"]=>
  int(1)
  ["segment_count"]=>
  int(1)
  ["shared_model"]=>
  string(9) "anonymous"
  ["failure_reason"]=>
  NULL
}
int(2097152)
bool(true)
Cannot modify readonly property OPcache\StaticCacheInfo::$enabled
bool(true)
bool(true)
