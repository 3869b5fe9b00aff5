--TEST--
larder: scope(): unused holds end, also when statics have started the clock's thread
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
?>
--INI--
larder.statics=1
larder.statics_interval=1000
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

class Worker { #[Larder\VolatileStatic] public static int $jobs = 0; }
function touched() {}
function threads() { return count(scandir('/proc/' . getmypid() . '/task')) - 2; }
/* Changes static properties, which are not published before the interval is over. */
function start() { for ($i = 0; $i < 5; $i++) { Worker::$jobs++; touched(); } }
/* Fetches more values than a process may hold, and releases each after its use. */
function copied() {
    $before = PinnedCache::info()->copies;
    for ($i = 0; $i < 50; $i++) {
        PinnedCache::set('report', array_map(fn($k) => str_repeat("$i $k,", 100), range(1, 1000)));
        Larder\scope(function () { if (count(PinnedCache::get('report')) !== 1000) echo "wrong\n"; });
    }
    return PinnedCache::info()->copies - $before;
}

echo 'threads: ', threads(), ', copies: ', copied(), "\n";
start();
echo 'threads: ', threads(), ', copies: ', copied(), "\n";
VolatileCache::keyInfo('jobs', Worker::class); // publishes the waiting changes
$pid = pcntl_fork();
if ($pid === 0) {
    echo 'in a child: ', threads(), ', copies: ', copied(), "\n";
    start();
    echo 'then: ', threads(), ', copies: ', copied(), "\n";
    posix_kill(getmypid(), SIGKILL);
}
pcntl_waitpid($pid, $status);
?>
--EXPECT--
threads: 1, copies: 0
threads: 2, copies: 0
in a child: 1, copies: 0
then: 2, copies: 0
