--TEST--
larder: compat opcache: getCacheStoreType() answers with the enum of the RFC
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
--SKIPIF--
<?php
if (class_exists('OPcache\VolatileCache') && (new ReflectionClass('OPcache\VolatileCache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
foreach (['VolatileCache', 'PinnedCache'] as $name) {
    $class = "OPcache\\$name";
    $class::set('int', 1);
    $class::set('array', [1]);
    $class::set('object', new stdClass);
    foreach (['int', 'array', 'object', 'none'] as $key) var_dump($class::getCacheStoreType($key));
    var_dump($class::getCacheStoreType('int', 'SomeClass'));
    var_dump("Larder\\$name"::getCacheStoreType('int'));
}
try { OPcache\VolatileCache::getCacheStoreType(''); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
enum(OPcache\CacheStoreType::Scalar)
enum(OPcache\CacheStoreType::SharedGraph)
enum(OPcache\CacheStoreType::SharedGraph)
enum(OPcache\CacheStoreType::NotFound)
enum(OPcache\CacheStoreType::NotFound)
enum(Larder\CacheStoreType::Scalar)
enum(OPcache\CacheStoreType::Scalar)
enum(OPcache\CacheStoreType::SharedGraph)
enum(OPcache\CacheStoreType::SharedGraph)
enum(OPcache\CacheStoreType::NotFound)
enum(OPcache\CacheStoreType::NotFound)
enum(Larder\CacheStoreType::Scalar)
OPcache\VolatileCache::getCacheStoreType(): Argument #1 ($key_or_property) must be between 1 and 65535 bytes long, 0 given
