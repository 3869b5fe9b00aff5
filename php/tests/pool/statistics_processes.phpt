--TEST--
larder: pool: uses by other processes count at the end of their requests
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
use Larder\VolatileCache;

function show($p) { $i = $p->info(); echo "$i->name: $i->entry_count entries, $i->hits hits, $i->misses misses, $i->stores stores\n"; }
$p = VolatileCache::pool('p');
$p->set('a', 1);
unset($p);
if (pcntl_fork() === 0) {
    $mine = VolatileCache::pool('p');
    for ($i = 0; $i < 10; $i++) $mine->get('a');
    exit; // the end of the request publishes its hits
}
pcntl_wait($status);
show(VolatileCache::pool('p'));
VolatileCache::pool('p')->clear();
show(VolatileCache::pool('p'));
--EXPECT--
p: 1 entries, 10 hits, 0 misses, 1 stores
p: 0 entries, 10 hits, 0 misses, 1 stores
