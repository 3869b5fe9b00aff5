--TEST--
larder: remember: with $stale one process computes while the others get the old value
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

for ($ttl = 0.1; ; $ttl *= 2) { /* try again with a longer time until the machine is quick enough */
    $start = hrtime(true);
    VolatileCache::delete('k');
    VolatileCache::remember('k', fn() => 'old', $ttl, 10000);
    $early = VolatileCache::remember('k', fn() => 'too early', $ttl, 10000);
    if (hrtime(true) - $start < $ttl * 1e9) break;
}
var_dump($early);
usleep((int) ($ttl * 1.5e6));
if (($pid = pcntl_fork()) === 0) { VolatileCache::remember('k', function () { VolatileCache::set('started', 1); while (!VolatileCache::has('go on')) usleep(1000); return 'new'; }, 10000, 10000); exit; }
while (!VolatileCache::has('started')) usleep(1000);
/* The child's computation ends only after the set() in this statement. So remember() must return the old value, and must not wait. */
var_dump(VolatileCache::remember('k', fn() => 'unused', 10000, 10000), VolatileCache::set('go on', 1));
pcntl_waitpid($pid, $s);
var_dump(VolatileCache::remember('k', fn() => 'unused', 10000, 10000));
--EXPECT--
string(3) "old"
string(3) "old"
bool(true)
string(3) "new"
