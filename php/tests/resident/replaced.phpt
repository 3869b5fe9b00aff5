--TEST--
larder: resident: replaced, deleted and expired graphs, in one request and over many; fetched objects stay
--EXTENSIONS--
larder
--INI--
larder.resident_size=1M
larder.volatile_size=8M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;
require __DIR__ . '/../include/server.php';

final readonly class Item { public function __construct(public mixed $v, public ?Item $next = null) {} }
function graphs(): int { ob_start(); phpinfo(INFO_MODULES); return preg_match('/Resident graphs of this worker => (\d+) in/', ob_get_clean(), $m) ? (int) $m[1] : -1; }

echo "generations of one key in one request: ";
$kept = []; $same = 0;
for ($i = 0; $i < 40; $i++) {
    VolatileCache::set('k', [new Item($i, new Item(str_repeat(chr(65 + $i), 100)))]);
    $kept[$i] = VolatileCache::get('k');
    $same += $kept[$i][0] === VolatileCache::get('k')[0];
}
echo $same, ' ', graphs(), "\n";
foreach ($kept as $i => $k) if ($k[0]->v !== $i || $k[0]->next->v !== str_repeat(chr(65 + $i), 100)) echo "$i changed\n";
VolatileCache::delete('k'); var_dump(VolatileCache::get('k'));
foreach ($kept as $i => $k) if ($k[0]->v !== $i || $k[0]->next->v !== str_repeat(chr(65 + $i), 100)) echo "$i changed\n";

echo "more than there is room for: ";
$same = 0; $kept = [];
for ($i = 0; $i < 40; $i++) {
    VolatileCache::set("large.$i", array_map(fn ($n) => new Item($n), range(1, 1000)));
    $kept[$i] = VolatileCache::get("large.$i");
    $same += $kept[$i][999] === VolatileCache::get("large.$i")[999];
}
echo $same > 5 && $same < 20 ? 'some' : $same, "\n";
foreach ($kept as $k) foreach ($k as $i => $item) if ($item->v !== $i + 1) { echo "changed\n"; break; }
$ids = array_merge(...array_map(fn ($k) => array_map(spl_object_id(...), $k), $kept));
var_dump(count(array_unique($ids)) === count($ids));

echo "over requests: ";
$ask = server(<<<'CODE'
    final readonly class Item { public function __construct(public mixed $v, public ?Item $next = null) {} }
    function graphs(): int { ob_start(); phpinfo(INFO_MODULES); return preg_match('~Resident graphs of this worker.*?>(\d+) in~s', ob_get_clean(), $m) ? (int) $m[1] : -1; }
    $before = graphs();
    if ($n < 100) { // replace the entry after the request has fetched it
        $got = VolatileCache::get('k');
        VolatileCache::set('k', [new Item($n, new Item("next $n"))]);
        if ($n > 0 && ($got[0]->v !== $n - 1 || $got[0]->next->v !== 'next ' . $n - 1)) echo 'wrong ';
        echo $before;
    } elseif ($n < 200) { // uses many keys; their entries expire, or other requests replace or delete them
        VolatileCache::set("k.$n", [new Item($n)], $n % 2 ? 0 : 0.01);
        $got = VolatileCache::get("k.$n");
        echo $got === null || $got[0]->v === $n ? 'fine' : 'wrong';
    } elseif ($n < 300) {
        VolatileCache::clear();
    } else {
        VolatileCache::has('x'); echo $before;
    }
    CODE, 0, 'larder.resident_size=1M');
for ($n = 0, $most = 0; $n < 100; $n++) { $answer = $ask($n); if (str_contains($answer, 'wrong')) echo $answer; $most = max($most, (int) $answer); }
echo "at most $most kept, ";
for (; $n < 200; $n++) if (($answer = $ask($n)) !== 'fine') echo $answer, ' ';
$ask(200);
for ($n = 300; $n < 600; $n++) $left = $ask($n);
echo "$left left after all were removed\n";
?>
--EXPECT--
generations of one key in one request: 16 16
NULL
more than there is room for: some
bool(true)
over requests: at most 0 kept, 0 left after all were removed
