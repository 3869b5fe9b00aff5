--TEST--
larder: pack: auto packs nothing while there is room, packs what comes while entries are evicted, and makes ready again what is read often
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--FILE--
<?php
use Larder\VolatileCache as Cache;

/* Makes an array of some 2,000 bytes in ready form, and a sixth of that in packed form. */
function row(int $i): array { return ['id' => $i, 'names' => array_map(fn($j) => ['id' => $j, 'name' => "name $i"], range(1, 10))]; }
function form(string $key): ?string { return Cache::keyInfo($key)?->form; }

var_dump(ini_get('larder.form'));
for ($i = 0; $i < 200; $i++) Cache::set("k$i", row($i), 1000);
$forms = array_map(fn($i) => form("k$i"), range(0, 199));
var_dump(array_unique($forms), Cache::info()->evictions);

// Fill the store with ready entries. After the first evictions, new entries are packed.
for ($i = 200; Cache::info()->evictions === 0; $i++) Cache::set("k$i", row($i), 1000);
$ready = Cache::info()->entry_count;
// Insert until four values in a row are packed. One packed value is not enough, because each shard begins to pack at its own first
// eviction. A shard stops packing after as many inserts without an eviction as it has entries.
$packed = fn(int $i): bool => array_unique(array_map(fn($n) => form("k$n"), range($i - 4, $i - 1))) === ['packed'];
for ($last = $i + 8 * $ready; $i < $last || ($i < 4 * $last && !$packed($i)); $i++) Cache::set("k$i", row($i), 1000);
$key = 'k' . $i - 1;
$info = Cache::keyInfo($key);
var_dump($info->form, $info->store_type, $info->size * 4 < $info->ready_size, $info->ttl > 900 && $info->ttl <= 1000, Cache::get($key) === row($i - 1));
var_dump(Cache::info()->entry_count > 2 * $ready);
$wrong = 0;
for ($j = 0; $j < $i; $j++) if (($v = Cache::get("k$j")) !== null && $v !== row($j)) $wrong++;
var_dump($wrong);

// Deletes make room. A shard stops packing after as many inserts without an eviction as it has entries, so insert small values. Then
// reads make a packed value ready. Larder does not count the reads of one entry in a hundred, so try up to four values.
for ($j = 0; $j < $i - 4; $j++) Cache::delete("k$j");
for ($j = 0; $j < 4000; $j++) Cache::set('other ' . $j % 100, $j);
for ($n = $i - 4; $n < $i; $n++) {
    $key = "k$n";
    $version = Cache::keyInfo($key)->version;
    for ($j = 0; $j < 100 && form($key) === 'packed'; $j++) Cache::get($key);
    if (form($key) === 'ready') break;
}
$info = Cache::keyInfo($key);
var_dump($info->form, $info->version === $version, $info->ttl > 900 && $info->ttl <= 1000, $info->size === $info->ready_size, Cache::get($key) === row($n));

// If these values are read in the same order again and again, all of them become ready.
for ($j = 0; $j < 400; $j++) for ($n = $i - 4; $n < $i; $n++) Cache::get("k$n");
var_dump(implode(' ', array_map(fn($n) => form("k$n"), range($i - 4, $i - 1))));
?>
--EXPECT--
string(4) "auto"
array(1) {
  [0]=>
  string(5) "ready"
}
int(0)
string(6) "packed"
enum(Larder\CacheStoreType::SharedGraph)
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
string(5) "ready"
bool(true)
bool(true)
bool(true)
bool(true)
string(23) "ready ready ready ready"
