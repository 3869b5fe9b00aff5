--TEST--
larder: compat opcache: the classes are there only when they are asked for
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (class_exists('OPcache\VolatileCache')) die('skip PHP has the classes itself');
?>
--FILE--
<?php
var_dump(class_exists('OPcache\VolatileCache'), enum_exists('OPcache\CacheStoreType'), extension_loaded('Zend OPcache') === function_exists('opcache_get_status'));
--EXPECT--
bool(false)
bool(false)
bool(true)
