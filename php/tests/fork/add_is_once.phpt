--TEST--
larder: fork: of many processes that add the same key, one wins
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

$pids = [];
for ($c = 0; $c < 4; $c++) if (($pids[] = pcntl_fork()) === 0) { $won = 0; for ($i = 0; $i < 2000; $i++) $won += VolatileCache::add("k$i", [$c, $i]); VolatileCache::increment('won', $won); exit(0); }
foreach ($pids as $pid) pcntl_waitpid($pid, $s);
$wrong = 0; for ($i = 0; $i < 2000; $i++) $wrong += VolatileCache::get("k$i")[1] !== $i;
var_dump(VolatileCache::get('won'), $wrong);
--EXPECT--
int(2000)
int(0)
