--TEST--
larder: immutable_cache: a full index names the directive
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
larder.immutable_size=8M
larder.entries_hint=64
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
for ($i = 0; $i < 100000 && @immutable_cache_add("k$i", 1); $i++);
var_dump($i > 50 && $i < 50000);
var_dump(immutable_cache_add("k$i", 1));
--EXPECTF--
bool(true)

Warning: immutable_cache_add(): The store has no room for more entries; raise larder.entries_hint or larder.immutable_size in %s on line %d
bool(false)
