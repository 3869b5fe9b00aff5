--TEST--
larder: compat_opcache: lock() keeps its key for one process at a time, and ends with it
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

foreach (['OPcache\VolatileCache', 'OPcache\PinnedCache'] as $class) {
    $elsewhere = function (string $key) use ($class): bool {
        if (($pid = pcntl_fork()) === 0) {
            posix_kill(getmypid(), $class::lock($key) ? SIGKILL : SIGTERM);
        }
        pcntl_waitpid($pid, $status);
        return pcntl_wtermsig($status) === SIGKILL;
    };
    show($class::lock('k'), $class::lock('k'), $elsewhere('k'), $elsewhere('other'), $class::set('k', 1), $class::get('k'));
    show($class::unlock('k'), $elsewhere('k'), $class::unlock('k'), $class::lock('k', 0.05), usleep(150000), $elsewhere('k'), $class::unlock('k'));
}
--EXPECT--
true false false true true 1 
true true false true null true false 
true false false true true 1 
true true false true null true false 
