--TEST--
larder: lifetime: workers of a server share one store, over hundreds of requests
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    $row = ['id' => $n, 'name' => "row $n", 'tags' => range(0, $n % 40), 'text' => str_repeat(chr(97 + $n % 26), 100 * ($n % 13))];
    VolatileCache::set('row.' . $n % 50, $row); VolatileCache::increment('count'); PinnedCache::set('p' . $n % 10, $row);
    $bad = 0;
    foreach (VolatileCache::getMultiple(array_map(fn($i) => "row.$i", range(0, 49))) as $r) if ($r !== null && ($r['name'] !== 'row ' . $r['id'] || count($r['tags']) !== $r['id'] % 40 + 1 || $r['text'] !== str_repeat(chr(97 + $r['id'] % 26), 100 * ($r['id'] % 13)))) $bad++;
    foreach (range(0, 9) as $i) { $r = PinnedCache::get("p$i"); if ($r !== null && $r['name'] !== 'row ' . $r['id']) $bad++; }
    echo getmypid(), ' ', $bad ?: 'fine';
    CODE, 3, 'larder.volatile_size=1M larder.pinned_size=1M');
$answers = $workers = [];
for ($n = 1; $n <= 300; $n++) {
    [$pid, $answers[]] = explode(' ', $ask($n), 2);
    $workers[$pid] = true;
}
echo implode("\n", array_unique($answers)), "\n";
foreach (array_keys($workers) as $pid) posix_kill($pid, SIGKILL); // the workers do not end with their server
--EXPECT--
fine
