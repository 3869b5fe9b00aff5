--TEST--
larder: ttl: a fetched value stays when the entry expires
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

for ($ttl = 0.05; ; $ttl *= 2) {
    VolatileCache::set('k', range(1, 100), $ttl);
    if (($v = VolatileCache::get('k')) !== null) break;
}
usleep((int) ($ttl * 3e6));
for ($i = 0; $i < 1000; $i++) VolatileCache::set("f$i", range(1, 100));
var_dump(VolatileCache::has('k'), $v === range(1, 100));
--EXPECT--
bool(false)
bool(true)
