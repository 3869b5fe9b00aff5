--TEST--
larder: pack: where memory is short, values without recent reads fall back to their packed form, with the version and the time to live that they had
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--FILE--
<?php
use Larder\VolatileCache as Cache;

class Item { function __construct(public int $id, public string $name) {} }
/* Makes a value of some 2,000 bytes in ready form: a list of arrays if $i is odd, and a list of objects if $i is even. */
function value(int $i): array { return array_map(fn($j) => $i % 2 ? ['id' => $i, 'name' => "name $j"] : new Item($i, "name $j"), range(1, 10)); }

for ($i = 0; Cache::info()->evictions === 0 && $i < 20000; $i++) Cache::set("k$i", value($i), 1000);
$count = $i;
$before = [];
for ($i = 0; $i < $count; $i++) if ($info = Cache::keyInfo("k$i")) $before[$i] = $info;
for ($i = 0; $i < 600; $i++) Cache::set("new $i", value($i), 1000);

$packed = $changed = $wrong = 0;
foreach ($before as $i => $was) {
    $info = Cache::keyInfo("k$i");
    if ($info === null || $info->form !== 'packed' || $was->form !== 'ready') continue;
    $packed++;
    $changed += $info->version !== $was->version || $info->ttl < 900 || $info->ttl > 1000 || $info->size >= $was->size;
    $wrong += Cache::get("k$i") != value($i);
}
var_dump($packed > 200, $changed, $wrong);
?>
--EXPECT--
bool(true)
int(0)
int(0)
