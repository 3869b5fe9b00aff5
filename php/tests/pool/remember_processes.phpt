--TEST--
larder: pool: remember() waits for a process that has the key's lock, and one of several processes computes
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

// A call waits for the owner of the key's lock.
$ready = tempnam(sys_get_temp_dir(), 'larder');
$pid = pcntl_fork();
if ($pid === 0) {
    $mine = VolatileCache::pool('p');
    $mine->lock('waits');
    file_put_contents($ready, 'x');
    usleep(300000);
    $mine->set('waits', 'of the owner');
    $mine->unlock('waits');
    posix_kill(getmypid(), SIGKILL);
}
while (filesize($ready) === 0) { usleep(1000); clearstatcache(); }
var_dump(VolatileCache::pool('p')->remember('waits', fn() => 'did not wait'));
pcntl_waitpid($pid, $status);
unlink($ready);
$file = tempnam(sys_get_temp_dir(), 'larder');
$children = [];
for ($c = 0; $c < 4; $c++) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        $value = VolatileCache::pool('p')->remember('once', function () use ($file) {
            file_put_contents($file, 'x', FILE_APPEND);
            usleep(200000);
            return 'v';
        });
        if ($value !== 'v') file_put_contents($file, '!', FILE_APPEND);
        posix_kill(getmypid(), SIGKILL);
    }
    $children[] = $pid;
}
foreach ($children as $pid) pcntl_waitpid($pid, $status);
var_dump(file_get_contents($file));
unlink($file);
--EXPECT--
string(12) "of the owner"
string(1) "x"
