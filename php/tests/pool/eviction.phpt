--TEST--
larder: pool: a pool that is used stays while others fill the store; one that went comes back empty
--EXTENSIONS--
larder
--INI--
larder.volatile_size=4M
larder.form=ready
--FILE--
<?php
use Larder\VolatileCache;

var_dump(VolatileCache::pool('used')->set('hot', 'hot value'));
for ($n = 0; $n < 8; $n++) VolatileCache::pool("idle$n")->set('cold', 'cold value');
$lost = 0;
for ($round = 0; $round < 1000; $round++) {
    for ($i = 0; $i < 100; $i++) VolatileCache::set("filler $round $i", str_repeat('f', $i % 3 === 0 ? 300 : 20));
    if (VolatileCache::pool('used')->get('hot') !== 'hot value') {
        $lost++;
        VolatileCache::pool('used')->set('hot', 'hot value');
    }
    Larder\endRequest(); // releases the fetched value, because a held value cannot be evicted
}
var_dump(VolatileCache::info()->evictions > 0, $lost <= 3 ?: $lost); // three losses are allowed, because a store that gets full for the first time may evict the entry in use
$gone = [];
for ($more = 0; $more < 30 && count($gone) < 2; $more++) { // some stores evict the idle entries only after more values of other sizes
    $gone = array_values(array_filter(range(0, 7), fn($n) => VolatileCache::pool("idle$n")->get('cold') === null));
    Larder\endRequest();
    for ($i = 0; $i < 50000 && count($gone) < 2; $i++) VolatileCache::set("more $more $i", str_repeat('f', $i % 300));
}
var_dump(count($gone) >= 2); // an idle entry may stay if its shard has few entries of this size
$idle = VolatileCache::pool('idle' . ($gone[0] ?? 0));
var_dump($idle->get('cold'), $idle->set('cold', 'new'), $idle->get('cold'), $idle->info()->entry_count);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
NULL
bool(true)
string(3) "new"
int(1)
