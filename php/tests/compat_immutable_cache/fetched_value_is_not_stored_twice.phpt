--TEST--
larder: immutable_cache: a fetched value is not stored a second time
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
immutable_cache.shm_size=16M
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
function used() { return -immutable_cache_sma_info(true)['avail_mem']; }
class Holder { public $part; public $added; }

/* A megabyte: 65,536 zvals. */
immutable_cache_add('big', range(1, 65536) + [65536 => NAN]);
$big = immutable_cache_fetch('big');
$before = used();
for ($i = 0; $i < 1000; $i++) immutable_cache_add("again $i", $big) or die("again $i\n");
echo 'the same array, 1,000 times: ', used() - $before < 512 << 10 ? "little\n" : used() - $before . "\n";
var_dump(immutable_cache_fetch('again 999') === $big); /* true only for the same array: NAN makes a copy differ, because NAN !== NAN */

$before = used();
for ($i = 0; $i < 1000; $i++) immutable_cache_add("inside $i", ['id' => $i, 'data' => $big, 'list' => [$big, [$big]]]) or die("inside $i\n");
echo 'inside others: ', used() - $before < 2 << 20 ? "little\n" : used() - $before . "\n";
$inside = immutable_cache_fetch('inside 500');
var_dump($inside['data'] === $big, $inside['list'][1][0] === $big, $inside['id']);

$before = used();
for ($i = 0; $i < 1000; $i++) { $h = new Holder; $h->part = $big; $h->added = [$h, 'x' => $big]; immutable_cache_add("object $i", $h) or die("object $i\n"); $h->added = null; }
echo 'in objects: ', used() - $before < 3 << 20 ? "little\n" : used() - $before . "\n";
$h = immutable_cache_fetch('object 7'); var_dump($h->part === $big, $h->added['x'] === $big, $h->added[0] === $h); $h->added = null;

$shared = &$big; $two = [&$shared, $big, &$shared];
immutable_cache_add('references', $two); unset($shared);
$two = immutable_cache_fetch('references'); $two[0] = 1; var_dump($two[2], $two[1] === $big);

echo "strings and keys\n";
$text = str_repeat('text', 250000); $key = str_repeat('key', 50000);
immutable_cache_add('parts', [$key => $text, 'short' => 'tiny']);
$parts = immutable_cache_fetch('parts'); unset($text);
$before = used();
for ($i = 0; $i < 200; $i++) {
    $changed = $parts; $changed['n'] = $i; /* a copy whose keys and strings lie in the store */
    immutable_cache_add("changed $i", $changed) or die("changed $i\n");
    immutable_cache_add("text $i", $parts[$key]) or die("text $i\n");
    immutable_cache_add("tiny $i", $parts['short']) or die("tiny $i\n");
}
echo used() - $before < 512 << 10 ? "little\n" : used() - $before . "\n";
$c = immutable_cache_fetch('changed 9');
var_dump($c[$key] === $parts[$key], $c['n'], immutable_cache_fetch('text 9') === $parts[$key], immutable_cache_fetch('tiny 9'), count($c), isset($c['short']));
unset($c[$key]); $c['short'] .= '!'; var_dump($c['short'], immutable_cache_fetch('changed 9')['short']);

echo "of other stores nothing is referred to\n";
Larder\VolatileCache::set('v', range(0, 999)); $v = Larder\VolatileCache::get('v');
$before = used();
for ($i = 0; $i < 100; $i++) immutable_cache_add("v $i", [$i, $v]);
var_dump(used() - $before > 1500000);
Larder\VolatileCache::set('from', ['x' => $parts]); Larder\VolatileCache::set('alias', immutable_cache_fetch('text 1'));
var_dump(Larder\VolatileCache::get('from')['x'] === $parts, Larder\VolatileCache::get('alias') === $parts[$key]);
Larder\VolatileCache::set('nan', [NAN, ['n' => NAN], str_repeat('s', 100)]); $nan = Larder\VolatileCache::get('nan');
Larder\VolatileCache::set('copy', $nan); Larder\VolatileCache::set('part', [$nan[1]]);
var_dump(Larder\VolatileCache::get('copy') === $nan, Larder\VolatileCache::get('part')[0] === $nan[1]); /* these are copies, and NAN !== NAN */
foreach (new ImmutableCacheIterator(['again 5', 'text 5']) as $k => $item) var_dump($k, $item['mem_size']);
--EXPECTF--
the same array, 1,000 times: little
bool(true)
inside others: little
bool(true)
bool(true)
int(500)
in objects: little
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
strings and keys
little
bool(true)
int(9)
bool(true)
string(4) "tiny"
int(3)
bool(true)
string(5) "tiny!"
string(4) "tiny"
of other stores nothing is referred to
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
string(%d) "%s 5"
int(8)
string(%d) "%s 5"
int(8)
