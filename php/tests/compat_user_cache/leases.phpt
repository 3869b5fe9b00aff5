--TEST--
larder: compat_user_cache: a lock ends with its lease, its unlock or its process, and guards its key only
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

$c = UserCache\Cache::getPool('leases');
/* Calls lock() in another process, and returns its result. The other process then dies, which ends the lock. */
$elsewhere = function (string $key, float $lease = 0) use ($c): bool {
    if (($pid = pcntl_fork()) === 0) {
        posix_kill(getmypid(), $c->lock($key, $lease) ? SIGKILL : SIGTERM);
    }
    pcntl_waitpid($pid, $status);
    return pcntl_wtermsig($status) === SIGKILL;
};
show($elsewhere('k'), $c->lock('k'), $elsewhere('k'), $elsewhere('other'), UserCache\Cache::getPool('another')->lock('k'));
for ($lease = 0.1; ; $lease *= 2) { /* try again with a longer lease until the machine is quick enough */
    $start = hrtime(true);
    $locked = [$c->lock('short', $lease), $elsewhere('short')];
    if (hrtime(true) - $start < $lease * 1e9) break;
    $c->unlock('short');
}
show($c->unlock('k'), $elsewhere('k'), ...$locked);
usleep((int) ($lease * 2.5e6));
show($elsewhere('short'), $c->unlock('short'), $c->lock('k', 100), $c->unlock('k'), $c->unlock('never'));
show($c->store('k', 1), $c->lock('k'), $c->fetch('k'), $c->has('k'), $c->increment('k'), $c->unlock('k'));
--EXPECT--
true true false true true 
true true true false 
true false true true false 
true true 1 true 2 true 
