--TEST--
larder: remember: exit inside the callback leaves the key free
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

if (($pid = pcntl_fork()) === 0) { VolatileCache::remember('k', function () { exit(3); }); }
pcntl_waitpid($pid, $s);
var_dump(pcntl_wexitstatus($s), VolatileCache::lock('k'));
--EXPECT--
int(3)
bool(true)
