--TEST--
larder: a request that does not end: gets do not copy, whatever was fetched before
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
if ((int) ini_get('opcache.jit_buffer_size') !== 0) die('skip under a JIT places that are not used any more are found, and more is copied'); ?>
--INI--
larder.volatile_size=16M
--FILE--
<?php
require __DIR__ . '/churn.inc';
use Larder\VolatileCache;

for ($i = 0; $i < 3000; $i++) VolatileCache::set("k$i", value("k$i"));
$kept = $last = [];
$copied = 0;
for ($i = 0; $i < 20000; $i++) {
    $key = 'k' . $i * 7 % 3000;
    $last[$i % 10] = null;
    $before = memory_get_usage();
    $last[$i % 10] = VolatileCache::get($key);
    $copied += memory_get_usage() > $before;
    if ($i % 100 === 0) $kept[$key] = $last[$i % 10];
    if ($i % 3000 === 2999) VolatileCache::set($key, value($key));
}
foreach ($kept as $key => $value) same($key, $value, value($key));
foreach ($last as $value) same('last', $value, value($value['name']));
var_dump($copied < 200);

/* The script keeps all these values, so further fetches return copies. After it has dropped them, fetches hold values again. */
$all = [];
for ($i = 0; $i < 1500; $i++) $all[$i] = VolatileCache::get("k$i");
foreach ($all as $i => $value) same("all $i", $value, value("k$i"));
foreach ($all as &$value) $value = null; /* remove the pointers, because a search would still find them in the freed array */
$all = $kept = $last = [];
$copied = 0;
for ($i = 0; $i < 6000; $i++) {
    $value = null;
    $before = memory_get_usage();
    $value = VolatileCache::get('k' . $i % 3000);
    $copied += memory_get_usage() > $before;
}
var_dump($copied < 3000);
--EXPECT--
bool(true)
bool(true)
