--TEST--
larder: array: after a minute, a request searches for unused values, or gets copies with larder.collect=0; earlier values stay valid
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/clock.php';
clock_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/clock.php';
foreach ([1, 0] as $collect) {
    echo "larder.collect=$collect\n", clock_php("-d larder.collect=$collect", <<<'PHP'
    use Larder\VolatileCache;

    $row = fn($i) => ['id' => $i, 'tags' => ['a', "tag $i"], 'text' => str_repeat(chr(97 + $i % 26), 1000)];
    for ($i = 0; $i < 300; $i++) { VolatileCache::set("k$i", $row($i)); VolatileCache::set("s$i", str_repeat("$i ", 500)); }
    $keys = array_map(fn($i) => "k$i", range(0, 299)); $strings = array_map(fn($i) => "s$i", range(0, 299));
    $all = $texts = array_fill(0, 300, null);

    /* Returns the request memory that one fetch of an array takes, and that one fetch of a string takes. */
    function fetch($from, $to) {
        global $all, $texts, $keys, $strings;
        $before = memory_get_usage();
        for ($i = $from; $i < $to; $i++) $all[$i] = VolatileCache::get($keys[$i]);
        $between = memory_get_usage();
        for ($i = $from; $i < $to; $i++) $texts[$i] = VolatileCache::get($strings[$i]);
        return [intdiv($between - $before, $to - $from), intdiv(memory_get_usage() - $between, $to - $from)];
    }
    fetch(0, 1);
    [$array, $string] = fetch(1, 100);
    echo 'young: ', $array < 10 && $string < 10 ? 'shared' : "$array $string", "\n";
    pass(61);
    fetch(100, 120); // not every fetch reads the clock, so make some fetches first
    [$array, $string] = fetch(120, 300);
    echo 'old: ', $array > 1000 && $string > 1000 ? 'copies' : ($array < 10 && $string < 10 ? 'shared' : "$array $string"), "\n";
    for ($i = 0; $i < 300; $i++) { VolatileCache::set("k$i", $row(-$i)); VolatileCache::delete("s$i"); }
    for ($i = 0; $i < 3000; $i++) VolatileCache::set("fill$i", str_repeat("\x9b", 1100));
    $wrong = 0;
    for ($i = 0; $i < 300; $i++) $wrong += $all[$i] !== $row($i) || $texts[$i] !== str_repeat("$i ", 500);
    echo "$wrong wrong\n";
    PHP);
}
?>
--EXPECT--
larder.collect=1
young: shared
old: shared
0 wrong
larder.collect=0
young: shared
old: copies
0 wrong
