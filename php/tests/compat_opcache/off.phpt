--TEST--
larder: compat opcache: without a store gets miss and writes fail
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
larder.enable=0
--SKIPIF--
<?php
if (class_exists('OPcache\VolatileCache') && (new ReflectionClass('OPcache\VolatileCache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
foreach (['OPcache\VolatileCache', 'OPcache\PinnedCache'] as $class) {
    var_dump($class::set('k', 1), $class::get('k', 'default'), $class::has('k'), $class::clear(), $class::lock('k'), $class::getCacheStoreType('k'));
    $info = $class::info();
    var_dump($info->enabled, $info->available, $info->failure_reason);
}
--EXPECT--
bool(false)
string(7) "default"
bool(false)
bool(false)
bool(false)
enum(OPcache\CacheStoreType::NotFound)
bool(false)
bool(false)
string(39) "larder.enable or larder.enable_cli is 0"
bool(false)
string(7) "default"
bool(false)
bool(false)
bool(false)
enum(OPcache\CacheStoreType::NotFound)
bool(false)
bool(false)
string(39) "larder.enable or larder.enable_cli is 0"
