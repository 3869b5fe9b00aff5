--TEST--
larder: immutable_cache: equal strings and arrays that are added separately are stored once
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
immutable_cache.shm_size=64M
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
$used = fn() => immutable_cache_cache_info(true)['mem_size'];
$text = fn(int $i) => str_repeat("part $i of a text, ", 5600);
$before = $used();
for ($i = 0; $i < 100; $i++) immutable_cache_add("string $i", $text(1)) || die("not added\n");
$grown = $used() - $before;
echo '100 equal strings of ', strlen($text(1)) >= 100000 ? '100 KB' : '?', ' take ', $grown < 300000 ? 'less than 300 KB' : $grown, "\n";
$array = function () { $a = []; for ($j = 0; $j < 1000; $j++) $a["key $j"] = ["value $j", $j / 4, null, true, $j => 'x']; return $a; };
$before = $used(); immutable_cache_add('array', $array()); $one = $used() - $before;
for ($i = 0; $i < 100; $i++) immutable_cache_add("array $i", $array()) || die("not added\n");
echo '100 more arrays: ', $used() - $before < $one + 20000 ? 'no more' : $used() - $before, "\n";
var_dump(immutable_cache_fetch('string 99') === $text(1), immutable_cache_fetch('array 99') === $array(), immutable_cache_add('array 99', 1));
$info = immutable_cache_cache_info();
var_dump($info['num_entries'], $info['num_inserts'], count($info['cache_list']), count(iterator_to_array(new ImmutableCacheIterator)), array_filter(array_column($info['cache_list'], 'info'), fn($k) => str_contains($k, 'larder')));

/* These values look alike but are different. */
$big = fn(array $with) => $with + array_fill(100, 50, 'filler');
$cases = [$big([0.0]), $big([-0.0]), $big([0]), $big([false]), $big([null]), $big(['']), $big(['0']), $big([[]]), $big(['a' => 1, 'b' => 2]), $big(['b' => 2, 'a' => 1]), $big(['5x' => 1]), $big([5 => 1]), $big([[1, 2]]), $big([[1 => 2, 0 => 1]]), $big([1.0]), $big([1]),
    array_values($big([])), $big([]), str_repeat('s', 1000), str_repeat('s', 1001), str_repeat("s", 999) . 't'];
foreach ($cases as $i => $case) immutable_cache_add("case $i", $case) || die("not added\n");
$bits = fn($v) => is_array($v) ? array_map(null, array_keys($v), array_map(fn($x) => is_float($x) ? bin2hex(pack('d', $x)) . 'f' : serialize($x), $v)) : $v;
foreach ($cases as $i => $case) if ($bits(immutable_cache_fetch("case $i")) !== $bits($case)) echo "case $i is wrong\n";
/* An array with equal content is shared, even if it has holes, a moved pointer, a reference with one user, or another internal form. */
$holes = range(0, 99); unset($holes[7], $holes[50]); next($holes);
$same = []; foreach ($holes as $k => $v) $same[$k] = $v;
immutable_cache_add('holes', $holes); $before = $used(); immutable_cache_add('same', $same); echo $used() - $before < 200 ? "shared\n" : "stored twice\n";
$got = immutable_cache_fetch('same'); echo json_encode([key($got), $got === $same, (function () use ($got) { $got[] = 1; return array_key_last($got); })()]), "\n";
/* Deep values, and values with objects or references, must be stored. Two equal values need not share memory. */
$deep = []; for ($i = 0; $i < 300; $i++) $deep = [$deep, 'level'];
foreach (['deep' => $deep, 'object' => [new ArrayObject([1]), str_repeat('o', 300)], 'reference' => [&$used, 's' => str_repeat('r', 300)]] as $name => $value) if ($name !== 'reference') { immutable_cache_add("$name 1", $value); immutable_cache_add("$name 2", $value); var_dump(immutable_cache_fetch("$name 1") == $value && immutable_cache_fetch("$name 2") == $value); }
/* Strings with the same hash are compared, so that different strings are not mixed up. */
$fy = []; foreach (range(0, 3) as $n) $fy[] = str_repeat($n & 1 ? 'FY' : 'Ez', 100) . str_repeat($n & 2 ? 'FY' : 'Ez', 100);
foreach ($fy as $n => $s) { immutable_cache_add("fy $n", $s); immutable_cache_add("fy again $n", $s); }
foreach ($fy as $n => $s) if (immutable_cache_fetch("fy $n") !== $s || immutable_cache_fetch("fy again $n") !== $s) echo "fy $n is wrong\n";
/* A program may use the keys that Larder itself uses for immutable_cache. */
foreach (["\0larder\0started", "\0larder\0", 'larder'] as $key) var_dump(immutable_cache_add($key, 'mine'), immutable_cache_fetch($key));
--EXPECT--
100 equal strings of 100 KB take less than 300 KB
100 more arrays: no more
bool(true)
bool(true)
bool(false)
int(201)
float(201)
int(201)
int(201)
array(0) {
}
shared
[0,true,100]
bool(true)
bool(true)
bool(true)
string(4) "mine"
bool(true)
string(4) "mine"
bool(true)
string(4) "mine"
