--TEST--
larder: pool: in a store of few entries, clear() frees the memory of the entries
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

function used(): array
{
    $info = VolatileCache::info();
    return [$info->entry_count, $info->shared_memory];
}

$p = VolatileCache::pool('p');
$other = VolatileCache::pool('p2'); // the name of this pool begins with the name of the first pool
$other->set('k', 'stays');
VolatileCache::set('k', 'stays too');
$p->set('first', 1);
$p->clear();
[$count, $bytes] = used();
$long = str_repeat('k', 1000);
for ($round = 0; $round < 50; $round++) {
    for ($i = 0; $i < 20; $i++) $p->set("key $i", str_repeat('x', 100000));
    $p->set($long, [1, 2]);
    $p->increment('counter');
    $held ??= $p->get('key 3'); // stays readable, whatever is removed
    $p->clear();
    if ($p->has('key 1') || $p->has($long) || $held !== str_repeat('x', 100000)) echo "wrong: $round\n";
    [$now, $taken] = used();
    if ($now !== $count || $taken > $bytes + 8 * 1024 * 1024) echo "round $round: $now entries, not $count, $taken bytes\n";
}
var_dump($other->get('k'), VolatileCache::get('k'));
--EXPECT--
string(5) "stays"
string(9) "stays too"
