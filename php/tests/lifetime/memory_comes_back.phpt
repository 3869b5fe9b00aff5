--TEST--
larder: lifetime: memory of values that a request held comes back after it
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    /* Returns how many values of 10,000 bytes the store has room for. */
    function room() {
        for ($n = 0; PinnedCache::set("f$n", str_repeat('y', 10000)); $n++);
        for ($i = 0; $i < $n; $i++) PinnedCache::delete("f$i");
        return $n;
    }
    PinnedCache::set('k', ['n' => -1]);
    if ($n % 2 === 0) exit((string) room());
    $held = [];
    for ($i = 0; $i < 10; $i++) { PinnedCache::set('k', ['n' => $i, 's' => str_repeat('x', 40000)]); $held[] = PinnedCache::get('k'); }
    PinnedCache::set('k', ['n' => -1]);
    $less = room();
    foreach ($held as $i => $value) if ($value !== ['n' => $i, 's' => str_repeat('x', 40000)]) exit('WRONG');
    if ($n % 6 === 3) { echo $less; exit; }
    if ($n % 6 === 5) { echo $less; throw new Exception; }
    echo $less;
    CODE, 0, 'larder.pinned_size=2M display_errors=0');
for ($n = 0; $n < 12; $n++) $room[$n % 2][] = $ask($n);
[$full, $less] = $room;
echo count(array_unique($full)) === 1 && $full[0] > 150 ? 'all of it' : json_encode($full), ', ', max($less) <= $full[0] - 35 && min($less) > 50 ? 'less while it is held' : json_encode($less), "\n";
--EXPECT--
all of it, less while it is held
