--TEST--
larder: small readonly objects in a request that does not end: a graph that was freed keeps no value
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
if ((int) ini_get('opcache.jit_buffer_size') !== 0) die('skip under a JIT places that are not used any more are found, and more is copied'); ?>
--INI--
larder.volatile_size=64M
--FILE--
<?php
use Larder\VolatileCache as Cache;
final readonly class Row { public function __construct(public int $id, public string $text, public array $tags) {} }
for ($i = 0; $i < 3000; $i++) Cache::set("key $i", new Row($i, str_repeat("$i ", 200), ['a', 'b', "tag $i"]));
$kept = [];
$before = Cache::info();
for ($i = 0; $i < 6000; $i++) {
    $kept[$i % 10] = Cache::get('key ' . $i % 3000);
    if ($kept[$i % 10]->id !== $i % 3000 || $kept[$i % 10]->tags[2] !== 'tag ' . $i % 3000) exit("get $i is wrong\n");
}
$after = Cache::info();
$copies = $after->copies - $before->copies;
echo $after->hits - $before->hits, ' hits, ', $copies < 300 ? 'few' : $copies, " copies\n";
--EXPECT--
6000 hits, few copies
