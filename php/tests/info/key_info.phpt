--TEST--
larder: info: keyInfo tells type, size, time and version
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', [1, 2, 3], 100);
$i = VolatileCache::keyInfo('k');
var_dump($i->key, $i->store_type, $i->size > 48, $i->ttl > 50 && $i->ttl <= 100, $i->version > 0);
VolatileCache::set('k', 5);
var_dump(VolatileCache::keyInfo('k')->version, VolatileCache::keyInfo('k')->ttl, VolatileCache::keyInfo('none'));
--EXPECT--
string(1) "k"
enum(Larder\CacheStoreType::SharedGraph)
bool(true)
bool(true)
bool(true)
int(0)
NULL
NULL
