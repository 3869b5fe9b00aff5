--TEST--
larder: ttl: entries expire, also by fractions of a second
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

/* The first read must end before the entry expires. If the machine was too slow, try again with a longer time. */
for ($ttl = 0.05; ; $ttl *= 2) {
    $start = hrtime(true);
    VolatileCache::set('short', 'x', $ttl); VolatileCache::set('long', 'y', 10000); VolatileCache::set('forever', 'z', 0); VolatileCache::add('added', 1, $ttl); VolatileCache::setMultiple(['m' => 1], $ttl);
    $got = VolatileCache::get('short');
    if (hrtime(true) - $start < $ttl * 1e9) break;
}
var_dump($got);
usleep((int) ($ttl * 3e6));
var_dump(VolatileCache::get('short'), VolatileCache::get('long'), VolatileCache::get('forever'), VolatileCache::has('added'), VolatileCache::has('m'), VolatileCache::add('short', 'new'));
--EXPECT--
string(1) "x"
NULL
string(1) "y"
string(1) "z"
bool(false)
bool(false)
bool(true)
