--TEST--
larder: cache: keys lists the keys with a prefix
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

for ($i = 0; $i < 300; $i++) { VolatileCache::set("user.$i", $i); VolatileCache::set("post.$i", $i); }
VolatileCache::set('0', 1);
$keys = [];
foreach (VolatileCache::keys('user.') as $key) $keys[] = $key;
sort($keys, SORT_NATURAL);
var_dump(count($keys), $keys[0], $keys[299], count([...VolatileCache::keys()]), [...VolatileCache::keys('none')], count([...PinnedCache::keys()]));
--EXPECT--
int(300)
string(6) "user.0"
string(8) "user.299"
int(601)
array(0) {
}
int(0)
