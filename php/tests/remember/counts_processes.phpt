--TEST--
larder: remember: a call that waits for another process, or finds an object of a class that has changed, counts one miss
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--INI--
larder.compat=apcu
--FILE--
<?php
use Larder\VolatileCache;

/* Returns how many hits and misses a function adds. */
function counted(string $cache, callable $do): string
{
    $before = $cache::info();
    $do();
    $after = $cache::info();
    return $after->hits - $before->hits . ' hits, ' . ($after->misses - $before->misses) . " misses\n";
}

/* One process computes the value, and another one waits for it. */
echo 'two processes: ', counted(VolatileCache::class, function () {
    if (($pid = pcntl_fork()) === 0) {
        VolatileCache::remember('slow', function () { $misses = VolatileCache::info()->misses; VolatileCache::set('computing', 1); for ($i = 0; $i < 8000 && VolatileCache::info()->misses === $misses; $i++) usleep(1000); return 'one'; });
        exit(0);
    }
    while (VolatileCache::keyInfo('computing') === null) usleep(500);
    $got = VolatileCache::remember('slow', fn() => 'two');
    pcntl_waitpid($pid, $s);
    echo "$got, ";
});

/* An entry whose class has changed counts as missing. */
echo 'another class: ';
$code = 'final class Changed { public %s $x = %s; } $c = "Larder\VolatileCache"; ';
if (($pid = pcntl_fork()) === 0) { eval(sprintf($code, 'int', '1')); VolatileCache::set('object', new Changed); apcu_store('object', new Changed); exit(0); }
pcntl_waitpid($pid, $s);
eval(sprintf($code, 'string', '"now"'));
echo counted(VolatileCache::class, fn() => VolatileCache::remember('object', fn() => new Changed));
$before = apcu_cache_info(true);
apcu_entry('object', fn() => new Changed);
$after = apcu_cache_info(true);
echo 'apcu_entry: ', $after['num_hits'] - $before['num_hits'], ' hits, ', $after['num_misses'] - $before['num_misses'], " misses\n";
--EXPECT--
two processes: one, 0 hits, 2 misses
another class: 0 hits, 1 misses
apcu_entry: 0 hits, 1 misses
