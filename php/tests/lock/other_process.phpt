--TEST--
larder: lock: another process sees the lock, and gets it when the owner is killed
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

if (($pid = pcntl_fork()) === 0) { VolatileCache::lock('k'); VolatileCache::set('locked', 1); sleep(60); exit; }
while (!VolatileCache::has('locked')) usleep(1000);
var_dump(VolatileCache::lock('k'), VolatileCache::unlock('k'));
posix_kill($pid, SIGKILL); pcntl_waitpid($pid, $s);
$start = microtime(true);
while (!VolatileCache::lock('k') && microtime(true) - $start < 60) usleep(1000);
var_dump(VolatileCache::unlock('k'));
--EXPECT--
bool(false)
bool(false)
bool(true)
