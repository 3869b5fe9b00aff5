--TEST--
larder: pool: other objects of a pool see the first 65536 uses of a request before it ends, and its own object sees all
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$p = VolatileCache::pool('p');
$p->remember('r', fn() => 1);
$p->remember('r', fn() => 1);
for ($i = 0; $i < 70000; $i++) $p->get('r');
$p->get('none');
$own = $p->info();
$other = VolatileCache::pool('p')->info();
echo "own: $own->entry_count entries, $own->hits hits, $own->misses misses, $own->stores stores\n";
var_dump($other->hits >= 65535 && $other->hits <= $own->hits, $other->stores);
--EXPECT--
own: 1 entries, 70001 hits, 2 misses, 1 stores
bool(true)
int(1)
