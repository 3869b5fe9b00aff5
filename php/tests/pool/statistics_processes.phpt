--TEST--
larder: pool: uses by other processes count at the end of their requests, and many uses of one request before it ends
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
    exit; // the request ends
}
pcntl_wait($status);
show(VolatileCache::pool('p'));
VolatileCache::pool('p')->clear();
show(VolatileCache::pool('p'));
$p = VolatileCache::pool('p');
$p->remember('r', fn() => 1); $p->remember('r', fn() => 1);
for ($i = 0; $i < 70000; $i++) $p->get('r');
show(VolatileCache::pool('p'));
show($p);
--EXPECT--
p: 1 entries, 10 hits, 0 misses, 1 stores
p: 0 entries, 10 hits, 0 misses, 1 stores
p: 1 entries, 65545 hits, 1 misses, 2 stores
p: 1 entries, 70011 hits, 1 misses, 2 stores
