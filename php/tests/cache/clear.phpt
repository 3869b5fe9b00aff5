--TEST--
larder: cache: clear removes everything, in that cache only
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

for ($i = 0; $i < 500; $i++) { VolatileCache::set("k$i", $i); PinnedCache::set("k$i", $i); }
var_dump(VolatileCache::clear());
$left = 0;
for ($i = 0; $i < 500; $i++) $left += (int) VolatileCache::has("k$i") + 1000 * (int) PinnedCache::has("k$i");
var_dump($left, VolatileCache::set('k1', 'new'), VolatileCache::get('k1'));
--EXPECT--
bool(true)
int(500000)
bool(true)
string(3) "new"
