--TEST--
larder: pack: a store that is almost full packs values before it evicts one
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--FILE--
<?php
use Larder\{Inspector, VolatileCache as Cache};

/* Makes a value that takes some 1,500 bytes in ready form. */
function value(int $i): array { return array_map(fn($j) => ['id' => $i, 'name' => "name $j"], range(1, 10)); }
function part(): float { $stats = Inspector::own('volatile')->stats(); return $stats['used'] / $stats['size']; }
function packs(): int { return Inspector::own('volatile')->stats()['packs']; }

for ($i = 0; part() < 0.7; $i++) Cache::set("k$i", value($i));
echo 'at 70 %: ', packs(), " packed\n";
for ($count = (int) ($i * 1.7); $i < $count; $i++) Cache::set("k$i", value($i));
$wrong = 0;
for ($i = 0; $i < $count; $i++) $wrong += Cache::get("k$i") != value($i);
var_dump(packs() > 100, Cache::info()->evictions, $wrong);
?>
--EXPECT--
at 70 %: 0 packed
bool(true)
int(0)
int(0)
