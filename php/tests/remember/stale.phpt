--TEST--
larder: remember: with $stale one process computes while the others get the old value
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::remember('k', fn() => 'old', 0.1, 30);
var_dump(VolatileCache::remember('k', fn() => 'too early', 0.1, 30));
usleep(150000);
if (($pid = pcntl_fork()) === 0) { VolatileCache::remember('k', function () { VolatileCache::set('started', 1); usleep(500000); return 'new'; }, 100, 30); exit; }
while (!VolatileCache::has('started')) usleep(1000);
$start = microtime(true);
var_dump(VolatileCache::remember('k', fn() => 'unused', 100, 30), microtime(true) - $start < 0.2);
pcntl_waitpid($pid, $s);
var_dump(VolatileCache::remember('k', fn() => 'unused', 100, 30));
--EXPECT--
string(3) "old"
string(3) "old"
bool(true)
string(3) "new"
