--TEST--
larder: lifetime: memory of values that a request held comes back after it
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    if ($n % 2 === 0) { $held = []; for ($i = 0; $i < 20; $i++) { PinnedCache::set('k', ['n' => $i, 's' => str_repeat('x', 40000)]); $held[] = PinnedCache::get('k'); } echo count($held); }
    else { $stored = 0; for ($i = 0; $i < 60; $i++) $stored += PinnedCache::set("f$i", str_repeat('y', 10000)); for ($i = 0; $i < 60; $i++) PinnedCache::delete("f$i"); echo $stored; }
    CODE, 0, 'larder.pinned_size=2M');
$answers = [];
for ($n = 0; $n < 12; $n++) $answers[] = $ask($n);
echo implode(' ', $answers), "\n";
--EXPECT--
20 60 20 60 20 60 20 60 20 60 20 60
