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

/* remember() must not wait for the dead process: this would take 10 s in each try. A stall of the machine delays only one try. */
for ($try = 1; $try <= 5; $try++) {
    if (($pid = pcntl_fork()) === 0) { VolatileCache::remember("k$try", function () use ($try) { VolatileCache::set("started$try", 1); sleep(60); }); exit; }
    while (!VolatileCache::has("started$try")) usleep(1000);
    posix_kill($pid, SIGKILL);
    $start = microtime(true);
    $got = VolatileCache::remember("k$try", fn() => 'mine');
    $quick = microtime(true) - $start < 9;
    pcntl_waitpid($pid, $s);
    if ($quick) break;
}
var_dump($got, $quick);
--EXPECT--
string(4) "mine"
bool(true)
