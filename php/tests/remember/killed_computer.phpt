--TEST--
larder: remember: when the computing process is killed, another one computes
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

if (($pid = pcntl_fork()) === 0) { VolatileCache::remember('k', function () { VolatileCache::set('started', 1); sleep(60); }); exit; }
while (!VolatileCache::has('started')) usleep(1000);
posix_kill($pid, SIGKILL);
$start = microtime(true);
var_dump(VolatileCache::remember('k', fn() => 'mine'), microtime(true) - $start < 9 /* the wait for the living ends after 10 */);
pcntl_waitpid($pid, $s);
--EXPECT--
string(4) "mine"
bool(true)
