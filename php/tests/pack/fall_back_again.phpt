--TEST--
larder: pack: after many writes that found nothing to pack, values still fall back
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--FILE--
<?php
use Larder\VolatileCache as Cache;

function falls(): int { return Larder\Inspector::own('volatile')->stats()['falls']; }

for ($i = 0; $i < 50000; $i++) Cache::set("k$i", "short $i"); // values that are too short to be packed
echo falls(), ' in a store of short strings, which has evicted ', Cache::info()->evictions > 10000 ? 'many' : 'few', "\n";
for ($i = 0; $i < 20000; $i++) Cache::set("rows$i", array_map(fn($j) => ['id' => $j, 'name' => "name $i"], range(1, 10)), form: 'ready');
echo falls() > 100 ? 'falls again' : 'falls ' . falls() . ' times', "\n";
?>
--EXPECT--
0 in a store of short strings, which has evicted many
falls again
