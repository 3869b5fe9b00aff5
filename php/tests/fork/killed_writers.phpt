--TEST--
larder: fork: writers killed at random leave old or new values, never others, and no process hangs
--EXTENSIONS--
larder
--INI--
larder.volatile_size=1M
larder.pinned_size=2M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

for ($i = 0; $i < 20; $i++) PinnedCache::set("k$i", ['i' => $i, 'v' => 0, 'fill' => array_fill(0, 50, 0)]);
$good = function ($v, $i) { return is_array($v) && $v['i'] === $i && $v['fill'] === array_fill(0, 50, $v['v']); };
$wrong = 0; mt_srand(3);
for ($round = 0; $round < 150; $round++) {
    $pids = [];
    for ($c = 0; $c < 2; $c++) {
        if (($pid = pcntl_fork()) === 0) {
            for ($n = 1; ; $n++) { $i = $n % 20; PinnedCache::set("k$i", ['i' => $i, 'v' => $n, 'fill' => array_fill(0, 50, $n)]); VolatileCache::set("k$i", str_repeat(chr(65 + $i), 1000 + $n % 3000)); VolatileCache::increment('n'); }
        }
        $pids[] = $pid;
    }
    usleep(mt_rand(100, 8000));
    foreach ($pids as $pid) { posix_kill($pid, SIGKILL); pcntl_waitpid($pid, $s); }
    for ($i = 0; $i < 20; $i++) { $wrong += !$good(PinnedCache::get("k$i"), $i); $v = VolatileCache::get("k$i"); $wrong += $v !== null && $v !== str_repeat(chr(65 + $i), strlen($v)); }
}
var_dump($wrong);
for ($i = 0; $i < 20; $i++) if (!PinnedCache::set("k$i", 'new')) echo "cannot write k$i\n";
var_dump(PinnedCache::info()->entry_count);
--EXPECT--
int(0)
int(20)
