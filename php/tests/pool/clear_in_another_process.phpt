--TEST--
larder: pool: what one process clears is gone for the others at once
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

$p = VolatileCache::pool('p');
$p->set('k', 'old');
$p->get('k');
for ($round = 0; $round < 50; $round++) {
    $p->set('k', $round);
    if ($p->get('k') !== $round) echo "not stored: $round\n";
    $pid = pcntl_fork();
    if ($pid === 0) {
        VolatileCache::pool('p')->clear();
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($pid, $status);
    if ($p->get('k') !== null || $p->has('k')) echo "still there: $round\n";
}
// Several processes call clear() at once. After each call, no entry from before this call may be left.
$children = [];
for ($c = 0; $c < 4; $c++) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        $mine = VolatileCache::pool('p');
        $bad = 0;
        for ($i = 0; $i < 2000; $i++) {
            $mine->set("k$c", $i);
            $mine->clear();
            if ($mine->has("k$c")) $bad++;
        }
        fwrite(STDOUT, $bad === 0 ? "" : "child $c: $bad\n");
        posix_kill(getmypid(), SIGKILL);
    }
    $children[] = $pid;
}
foreach ($children as $pid) pcntl_waitpid($pid, $status);
echo "done\n";
--EXPECT--
done
