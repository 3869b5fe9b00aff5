--TEST--
larder: pack: a call, or the object of a pool, says in which form its values are stored; an unknown form names the three
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--FILE--
<?php
use Larder\VolatileCache as Cache;

function rows(int $i): array { return array_map(fn($j) => ['id' => $j, 'name' => "name $i"], range(1, 10)); }
function form(string $key, $cache = null): string { return ($cache === null ? Cache::keyInfo($key) : $cache->keyInfo($key))->form; }

Cache::set('set', rows(1), form: 'packed');
Cache::add('add', rows(2), 0, 'packed');
Cache::setMultiple(['m1' => rows(3), 'm2' => str_repeat('text ', 100)], form: 'packed');
Cache::remember('remember', fn() => rows(4), 0, 0, 'packed');
Cache::set('ready', rows(5), form: 'ready');
Cache::set('auto', rows(6), form: 'auto');
Cache::set('null', rows(7), 0, null);
foreach (['set', 'add', 'm1', 'm2', 'remember', 'ready', 'auto', 'null'] as $key) echo $key, ' ', form($key), "\n";
var_dump(Cache::get('set') === rows(1), Cache::get('add') === rows(2), Cache::getMultiple(['m1', 'm2']) === ['m1' => rows(3), 'm2' => str_repeat('text ', 100)], Cache::remember('remember', fn() => 1) === rows(4));

for ($i = 0; $i < 1000; $i++) Cache::get('set');
echo form('set'), "\n";

$pool = Cache::pool('p', 'packed');
$pool->set('a', rows(1)); $pool->setMultiple(['b' => rows(2)]); $pool->add('c', rows(3)); $pool->remember('d', fn() => rows(4)); $pool->set('e', rows(5), form: 'ready');
$pool->fill('f', rows(6), $pool->lease('f'));
[, $version] = $pool->getVersioned('a');
var_dump($pool->replaceIf('a', rows(7), $version), $pool->get('a') === rows(7));
foreach (['a', 'b', 'c', 'd', 'e', 'f'] as $key) echo form($key, $pool), ' ';
Cache::pool('p')->set('g', rows(1));
echo form('g', $pool), "\n";

foreach ([
    fn() => Cache::set('k', 1, 0, 'zip'), fn() => Cache::add('k', 1, form: ''), fn() => Cache::setMultiple(['k' => 1], 0, "ready\0"), fn() => Cache::remember('k', fn() => 1, form: 'Packed'),
    fn() => Cache::pool('p', 'zip'), fn() => $pool->set('k', 1, 0, 'zip'), fn() => $pool->setMultiple([], 0, 'zip'), fn() => $pool->remember('k', fn() => 1, 0, 0, 'zip'),
] as $call) {
    try { $call(); echo "no error\n"; } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
}
var_dump(Cache::get('k'));

for ($i = 0; Cache::info()->evictions < 100; $i++) Cache::set("k$i", rows($i));
Cache::set('short', rows(1)); Cache::set('ready', rows(1), form: 'ready'); Cache::set('auto', rows(1), form: 'auto');
echo form('short'), ' ', form('ready'), ' ', form('auto'), "\n";
?>
--EXPECT--
set packed
add packed
m1 packed
m2 packed
remember packed
ready ready
auto ready
null ready
bool(true)
bool(true)
bool(true)
bool(true)
packed
bool(true)
bool(true)
packed packed packed packed ready packed ready
Larder\VolatileCache::set(): Argument #4 ($form) must be "auto", "ready" or "packed", "zip" given
Larder\VolatileCache::add(): Argument #4 ($form) must be "auto", "ready" or "packed", "" given
Larder\VolatileCache::setMultiple(): Argument #3 ($form) must be "auto", "ready" or "packed", "ready" given
Larder\VolatileCache::remember(): Argument #5 ($form) must be "auto", "ready" or "packed", "Packed" given
Larder\VolatileCache::pool(): Argument #2 ($form) must be "auto", "ready" or "packed", "zip" given
Larder\Pool::set(): Argument #4 ($form) must be "auto", "ready" or "packed", "zip" given
Larder\Pool::setMultiple(): Argument #3 ($form) must be "auto", "ready" or "packed", "zip" given
Larder\Pool::remember(): Argument #5 ($form) must be "auto", "ready" or "packed", "zip" given
NULL
packed ready packed
