--TEST--
larder: remember: of many processes one computes, the others wait for it
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

$children = [];
for ($i = 0; $i < 6; $i++) {
    if (($pid = pcntl_fork()) === 0) {
        $v = VolatileCache::remember('k', function () { VolatileCache::increment('computed'); usleep(200000); return range(1, 100); });
        exit(count($v) === 100 ? 0 : 1);
    }
    $children[] = $pid;
}
foreach ($children as $pid) { pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
var_dump(VolatileCache::get('computed'));
--EXPECT--
int(1)
