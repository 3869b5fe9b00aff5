--TEST--
larder: info: getCacheStoreType for each way to store
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

class Old implements Serializable { function serialize() { return "x"; } function unserialize($s) {} }

foreach ([1, 1.5, null, true, 's', str_repeat('s', 9999), [], [1], new stdClass, [new stdClass], new Old] as $i => $v) { VolatileCache::set("k$i", $v); echo VolatileCache::getCacheStoreType("k$i")->name, ' '; }
echo VolatileCache::getCacheStoreType('none')->name, ' ', VolatileCache::getCacheStoreType('k1', 'SomeClass')->name, "\n";
echo implode(' ', array_column(Larder\CacheStoreType::cases(), 'name')), "\n";
--EXPECT--
Scalar Scalar Scalar Scalar Scalar Scalar SharedGraph SharedGraph SharedGraph SharedGraph PHPSerialized NotFound NotFound
NotFound Scalar SharedGraph Resident OPcacheSerialized PHPSerialized
