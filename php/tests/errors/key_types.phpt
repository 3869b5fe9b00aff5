--TEST--
larder: errors: keys of other types
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

foreach (['getMultiple', 'deleteMultiple'] as $m)
    foreach ([[1.5], [[]], [null], [new stdClass]] as $keys)
        try { VolatileCache::$m($keys); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
VolatileCache::set(5, 'int key');
var_dump(VolatileCache::get('5'));
--EXPECT--
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, float given
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, array given
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, null given
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, stdClass given
Larder\VolatileCache::deleteMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, float given
Larder\VolatileCache::deleteMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, array given
Larder\VolatileCache::deleteMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, null given
Larder\VolatileCache::deleteMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, stdClass given
string(7) "int key"
