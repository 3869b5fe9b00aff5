--TEST--
larder: pool: clear() empties one pool, whatever its size, and what was cleared never comes back
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$p = VolatileCache::pool('p');
$other = VolatileCache::pool('other');
var_dump($p->clear()); // the pool has no entries yet
$other->set('k', 'stays');
VolatileCache::set('k', 'stays too');
for ($i = 0; $i < 20000; $i++) $p->set("key $i", $i);
$held = $p->get('key 19999');
$p->lock('l');
$before = VolatileCache::info()->entry_count;
var_dump($p->clear());
/* In a store with many entries, clear() hides the entries of the pool, but they stay in the store until it evicts them. */
var_dump($before > 15000 && VolatileCache::info()->entry_count >= $before, $p->has('key 1'), $p->get('key 19999'), $p->increment('key 5'), $other->get('k'), VolatileCache::get('k'));
var_dump($p->unlock('l'));
for ($i = 0; $i < 1000; $i++) {
    $p->set('x', $i);
    if (!$p->clear() || $p->has('x')) echo "wrong: $i\n";
}
$p->set('last', 1);
var_dump(VolatileCache::clear(), $p->has('last'), $p->set('last', 2), $p->get('last'));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(false)
NULL
int(1)
string(5) "stays"
string(9) "stays too"
bool(true)
bool(true)
bool(false)
bool(true)
int(2)
