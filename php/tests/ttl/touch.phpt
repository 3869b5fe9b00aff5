--TEST--
larder: ttl: touch sets the time to live anew
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

/* The touch must come before the entry has expired. If the machine was too slow, try again with a longer time. */
for ($ttl = 0.08; ; $ttl *= 2) {
    VolatileCache::set('k', [1], $ttl);
    if ($touched = VolatileCache::touch('k', 10000)) break;
}
var_dump($touched, VolatileCache::touch('none', 60));
usleep((int) ($ttl * 2e6));
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
