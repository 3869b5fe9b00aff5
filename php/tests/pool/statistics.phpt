--TEST--
larder: pool: each pool counts its own uses, which outlive a clear and the pool's object
--EXTENSIONS--
larder
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
VolatileCache::pool('p')->clear();
show(VolatileCache::pool('p'));
$p = VolatileCache::pool('p');
$p->remember('r', fn() => 1); $p->remember('r', fn() => 1);
show($p);
--EXPECT--
p: 0 entries, 0 hits, 0 misses, 0 stores
p: 3 entries, 3 hits, 2 misses, 3 stores
q: 1 entries, 0 hits, 0 misses, 1 stores
bool(true)
bool(true)
p: 3 entries, 3 hits, 2 misses, 3 stores
p: 0 entries, 3 hits, 2 misses, 3 stores
p: 1 entries, 4 hits, 3 misses, 4 stores
