--TEST--
larder: counter: increments of many processes add up
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

$children = [];
for ($i = 0; $i < 4; $i++) {
    if (($pid = pcntl_fork()) === 0) {
        for ($n = 0; $n < 20000; $n++) { VolatileCache::increment('n'); PinnedCache::increment('n', 2); VolatileCache::decrement('m'); }
        exit(0);
    }
    $children[] = $pid;
}
foreach ($children as $pid) { pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
var_dump(VolatileCache::get('n'), PinnedCache::get('n'), VolatileCache::get('m'));
--EXPECT--
int(80000)
int(160000)
int(-80000)
