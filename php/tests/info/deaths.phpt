--TEST--
larder: info: each killed process is one death, wherever it died, and one that exits is none
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\{VolatileCache, PinnedCache};

function counts(string $cache): string { $i = $cache::info(); return "$i->deaths deaths" . ($i->recoveries > $i->deaths ? ', fewer than inside a write' : ''); }

/* Starts a child that uses both stores, and then waits. */
function child(?callable $do = null): int
{
    static $n = 0;
    $n++;
    if (($pid = pcntl_fork()) === 0) {
        foreach ([VolatileCache::class, PinnedCache::class] as $cache) $cache::set("child $n", $held = range(1, 100));
        $held = [VolatileCache::get("child $n"), PinnedCache::get("child $n")];
        VolatileCache::lock("lock $n");
        VolatileCache::set("ready $n", 1);
        if ($do !== null) $do();
        for (;;) sleep(60);
    }
    while (!VolatileCache::has("ready $n")) usleep(500);
    return $pid;
}

function kill(int ...$pids): void { foreach ($pids as $pid) posix_kill($pid, SIGKILL); foreach ($pids as $pid) pcntl_waitpid($pid, $s); }

VolatileCache::set('k', 1); PinnedCache::set('k', range(1, 100)); $held = PinnedCache::get('k');
for ($i = 0; $i < 5; $i++) if (($pid = pcntl_fork()) === 0) { VolatileCache::get('k'); PinnedCache::set("c$i", 1); exit(0); } else pcntl_waitpid($pid, $s);
echo 'exited: ', counts(VolatileCache::class), ', ', counts(PinnedCache::class), "\n";

kill(child());
echo 'one: ', counts(VolatileCache::class), ', ', counts(PinnedCache::class), "\n";
kill(child(), child(), child());
echo 'three at once: ', counts(VolatileCache::class), ', ', counts(PinnedCache::class), "\n";
/* Other processes take the slots of dead processes before the deaths are counted. */
for ($i = 0; $i < 3; $i++) { kill($one = child(), $two = child()); $alive[] = child(); }
echo 'replaced: ', counts(VolatileCache::class), "\n";
kill(...$alive);
echo 'these, too: ', counts(VolatileCache::class), ', ', counts(PinnedCache::class), "\n";

/* Kills writers, until some have died inside a write. */
$write = function () { for ($i = 0; ; $i++) PinnedCache::set('w' . $i % 50, str_repeat('w', $i % 200)); };
for ($kills = 0; $kills < 5000 && ($kills < 20 || PinnedCache::info()->recoveries < 2); $kills++) {
    $pid = child($write);
    usleep(mt_rand(0, 3000));
    kill($pid);
    for ($i = 0; $i < 50; $i++) PinnedCache::set("w$i", 1); /* a write takes the lock of a shard, and notices that the lock's owner is dead */
}
$i = PinnedCache::info();
echo 'writers: ', $i->recoveries >= 2 ? 'some inside a write' : "$kills kills and none inside a write", ', ', $i->deaths - 13 === $kills && VolatileCache::info()->deaths === $i->deaths ? 'each counted once' : "$kills killed, $i->deaths counted", "\n";
ob_start(); phpinfo(INFO_MODULES); $text = ob_get_clean();
echo preg_match_all("/^Deaths survived => $i->deaths, of these $i->recoveries inside a write$/m", $text), "\n";
--EXPECT--
exited: 0 deaths, 0 deaths
one: 1 deaths, 1 deaths
three at once: 4 deaths, 4 deaths
replaced: 10 deaths
these, too: 13 deaths, 13 deaths
writers: some inside a write, each counted once
1
