--TEST--
larder: compat user_cache: the classes are there only when they are asked for
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (class_exists('UserCache\Cache')) die('skip PHP has the classes itself');
?>
--FILE--
<?php
var_dump(class_exists('UserCache\Cache'), extension_loaded('user_cache'));
--EXPECT--
bool(false)
bool(false)
