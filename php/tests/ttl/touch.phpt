--TEST--
larder: ttl: touch sets the time to live anew
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', [1], 0.08);
var_dump(VolatileCache::touch('k', 60), VolatileCache::touch('none', 60));
usleep(200000);
var_dump(VolatileCache::get('k'), VolatileCache::touch('k', 0), VolatileCache::keyInfo('k')->ttl);
--EXPECT--
bool(true)
bool(false)
array(1) {
  [0]=>
  int(1)
}
bool(true)
NULL
