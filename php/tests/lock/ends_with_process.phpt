--TEST--
larder: lock: a lock ends when its process exits
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

if (($pid = pcntl_fork()) === 0) { var_dump(VolatileCache::lock('k')); exit; }
pcntl_waitpid($pid, $s);
var_dump(VolatileCache::lock('k'));
--EXPECT--
bool(true)
bool(true)
