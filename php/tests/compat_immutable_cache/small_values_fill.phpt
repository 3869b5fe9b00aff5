--TEST--
larder: immutable_cache: small values fill the store, whatever the hint, and then the directive is named
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
larder.immutable_size=1M
larder.entries_hint=64
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
for ($i = 0; $i < 100000 && @immutable_cache_add("k$i", 1); $i++);
var_dump($i > 14000 && $i < 22000);
var_dump(immutable_cache_add("k$i", 1));
for ($wrong = 0; $i-- > 0;)
    $wrong += immutable_cache_fetch("k$i") !== 1;
var_dump($wrong);
--EXPECTF--
bool(true)

Warning: immutable_cache_add(): %slarder.immutable_size in %s on line %d
bool(false)
int(0)
