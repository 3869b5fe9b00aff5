--TEST--
larder: pack: ready values fall back for every kind of write that finds memory short, also for small values, which are not packed themselves
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--FILE--
<?php
use Larder\VolatileCache as Cache;

function rows(int $i): array { return array_map(fn($j) => ['id' => $j, 'name' => "name $i"], range(1, 10)); }
function falls(): int { return Larder\Inspector::own('volatile')->stats()['falls']; }

for ($i = 0; Cache::info()->evictions === 0 && $i < 20000; $i++) Cache::set("k$i", rows($i), form: 'ready');
$pool = Cache::pool('p');
$writes = [
    'short string' => fn($i) => Cache::set("s$i", "short $i"), 'float' => fn($i) => Cache::set("f$i", $i / 7), 'int' => fn($i) => Cache::set("i$i", $i, 100), 'null' => fn($i) => Cache::add("n$i", null),
    'several' => fn($i) => Cache::setMultiple(["m$i" => $i, "mm$i" => "short"]), 'remember' => fn($i) => Cache::remember("r$i", fn() => $i / 3), 'pool' => fn($i) => $pool->set("p$i", "short"), 'ready' => fn($i) => Cache::set("a$i", rows($i), form: 'ready'),
];
foreach ($writes as $name => $write) {
    for ($i = 0, $before = falls(); falls() === $before && $i < 5000; $i++) $write($i);
    echo $name, ' ', falls() > $before ? 'yes' : 'no', "\n";
}
?>
--EXPECT--
short string yes
float yes
int yes
null yes
several yes
remember yes
pool yes
ready yes
