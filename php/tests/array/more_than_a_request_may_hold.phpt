--TEST--
larder: array: a request that fetches 3,000 arrays gets copies past a bound, and the next request shares again
--EXTENSIONS--
larder
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip the bytes of a request are not counted'); ?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server('require_once ' . var_export(__DIR__ . '/../include/bounds.php', true) . ";\n" . <<<'CODE'
    $row = fn($i) => ['id' => $i, 'tags' => ['a', "tag $i", ['deep' => $i / 2]], 'text' => str_repeat(chr(97 + $i % 26), 300), 'empty' => []];
    if ($n === 0) {
        $stored = 0;
        for ($i = 0; $i < 3000; $i++) $stored += VolatileCache::set("k$i", $row($i));
        exit("$stored stored");
    }
    /* Fetches the keys $from to $to - 1. Returns how much request memory a fetch took, and how many values are wrong. */
    $fetch = function ($from, $to) use ($row, &$all) {
        $keys = array_map(fn($i) => "k$i", range(0, 2999));
        $all ??= array_fill(0, 3000, null);
        $wrong = 0;
        $before = memory_get_usage();
        for ($i = $from; $i < $to; $i++) $all[$i] = VolatileCache::get($keys[$i]);
        $each = intdiv(memory_get_usage() - $before, $to - $from);
        for ($i = $from; $i < $to; $i++) $wrong += $all[$i] !== $row($i);
        return ($each === 0 ? 'shared' : ($each > 700 ? 'copied' : "$each bytes")) . ", $wrong wrong\n";
    };
    $fetch(0, 1);
    echo $fetch(1, 1000);
    $held = hold_all_that_a_request_may();
    echo $fetch(1024, 3000);
    for ($i = 0; $i < 3000; $i++) { VolatileCache::set("k$i", 'other'); if ($i % 2) VolatileCache::delete("k$i"); }
    for ($i = 0; $i < 3000; $i++) VolatileCache::set("k$i", $row(-$i));
    $wrong = 0;
    for ($i = 0; $i < 3000; $i++) if ($all[$i] !== null && $all[$i] !== $row($i)) $wrong++;
    for ($i = 0; $i < 3000; $i++) if ($all[$i] !== null) { $all[$i]['tags'][2]['deep'] = 'written'; unset($all[$i]['text']); }
    unset($all);
    echo "$wrong changed\n";
    for ($i = 0; $i < 3000; $i++) VolatileCache::set("k$i", $row($i));
    CODE, 0, 'larder.volatile_size=64M');
for ($n = 0; $n < 4; $n++) echo trim($ask($n)), "\n";
--EXPECT--
3000 stored
shared, 0 wrong
copied, 0 wrong
0 changed
shared, 0 wrong
copied, 0 wrong
0 changed
shared, 0 wrong
copied, 0 wrong
0 changed
