--TEST--
larder: pool: each pool counts its own uses, across processes
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
$q = VolatileCache::pool('q');
show($p);
$p->set('a', 1);
$p->setMultiple(['b' => 2, 'c' => str_repeat('c', 1000)]);
$p->get('a'); $p->get('a'); $p->get('none'); $p->getMultiple(['b', 'none']);
$q->set('a', 1);
show($p); show($q);
var_dump($p->info()->used_memory > 1000, $p->info()->used_memory < 1200);
unset($p, $q);
show(VolatileCache::pool('p'));
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
p: 0 entries, 0 hits, 0 misses, 0 stores
p: 3 entries, 3 hits, 2 misses, 3 stores
q: 1 entries, 0 hits, 0 misses, 1 stores
bool(true)
bool(true)
p: 3 entries, 3 hits, 2 misses, 3 stores
p: 3 entries, 13 hits, 2 misses, 3 stores
p: 0 entries, 13 hits, 2 misses, 3 stores
p: 1 entries, 65548 hits, 3 misses, 4 stores
p: 1 entries, 70014 hits, 3 misses, 4 stores
