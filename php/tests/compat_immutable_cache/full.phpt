--TEST--
larder: immutable_cache: a full store says how much is missing and which directive to raise
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
immutable_cache.shm_size=1M
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
function fill() { for ($i = 0; @immutable_cache_add("fill $i", range($i, $i + 9999)); $i++); return $i; }
var_dump(fill() >= 4);
$was = immutable_cache_fetch('fill 0');
var_dump(immutable_cache_add('one more', range(1, 20000)));
echo "an array of values complains once\n";
echo json_encode(immutable_cache_add(['x' => range(1, 20000), 'y' => range(2, 20001)])), "\n";
echo "too large\n";
var_dump(immutable_cache_add('huge', str_repeat('h', 700000)));
echo "what exists is no reason to complain\n";
var_dump(immutable_cache_add('fill 1', range(1, 20000)), immutable_cache_fetch('fill 0') === $was, immutable_cache_fetch('fill 3')[9999]);
set_error_handler(fn ($n, $text) => throw new ErrorException($text));
try { immutable_cache_add(['x' => range(1, 20000), 'y' => range(2, 20001)]); } catch (ErrorException $e) { echo substr($e->getMessage(), 0, 43), "\n"; }
--EXPECTF--
bool(true)

Warning: immutable_cache_add(): The store is full: 320%d bytes are needed and %d of 1048576 are free, so %d are missing; raise immutable_cache.shm_size in %s on line %d
bool(false)
an array of values complains once

Warning: immutable_cache_add(): The store is full: %d bytes are needed and %d of 1048576 are free, so %d are missing; raise immutable_cache.shm_size in %s on line %d
{"x":-1,"y":-1}
too large

Warning: immutable_cache_add(): The value is larger than half of the store, which takes %d bytes at most; raise immutable_cache.shm_size in %s on line %d
bool(false)
what exists is no reason to complain
bool(false)
bool(true)
int(10002)
immutable_cache_add(): The store is full: 3
