--TEST--
larder: throttle: processes share a limit exactly, whichever of them are killed
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

// Starts a process that takes units, and counts each unit after it has got it. A killed process may have counted one unit too few.
function worker(): int
{
    if (($pid = pcntl_fork()) !== 0) {
        return $pid;
    }
    for ($n = 0; $n < 5000; $n++) {
        if (VolatileCache::throttle('limit', 20000, 86400 * 365)->allowed) {
            VolatileCache::increment('given');
        }
    }
    exit(0);
}
$pids = array_map(worker(...), range(1, 8));
$killed = 0;
for ($n = 0; $n < 20; $n++) {
    usleep(2000);
    $victim = $n % 8;
    posix_kill($pids[$victim], SIGKILL);
    pcntl_waitpid($pids[$victim], $status);
    $killed += pcntl_wifsignaled($status) ? 1 : 0;
    $pids[$victim] = worker();
}
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
    if ($status) echo "status $status\n";
}
while (VolatileCache::throttle('limit', 20000, 86400 * 365)->allowed) VolatileCache::increment('given');
$given = VolatileCache::get('given');
var_dump($given <= 20000 && $given >= 20000 - $killed);
--EXPECT--
bool(true)
