--TEST--
larder: pool: remember() computes once and keeps what it computed in the pool
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
var_dump($p->remember('k', fn() => 'computed'), $p->remember('k', fn() => 'again'), $p->get('k'), VolatileCache::get('k'));
try { $p->remember('fails', fn() => throw new Exception('no')); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
var_dump($p->has('fails'), $p->lock('fails'), $p->unlock('fails'));
try { $p->remember('self', fn() => $p->remember('self', fn() => 1)); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
var_dump($p->remember('outer', fn() => VolatileCache::pool('q')->remember('outer', fn() => 'q')));
var_dump($p->remember('cleared', function () use ($p) { $p->clear(); return 'kept for the caller'; }), $p->has('cleared'));
$p->lock('mine');
var_dump($p->remember('mine', fn() => 'under my lock'), $p->unlock('mine'), $p->get('mine'));
$p->remember('short', fn() => 1, 0.05);
usleep(150000);
var_dump($p->has('short'));
// Who has the lock is waited for.
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
var_dump($p->remember('waits', fn() => 'did not wait'));
pcntl_waitpid($pid, $status);
unlink($ready);
// One of several processes computes.
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
string(8) "computed"
string(8) "computed"
string(8) "computed"
NULL
no
bool(false)
bool(true)
bool(true)
remember() of key "self" was called by its own $compute
string(1) "q"
string(19) "kept for the caller"
bool(false)
string(13) "under my lock"
bool(true)
string(13) "under my lock"
bool(false)
string(12) "of the owner"
string(1) "x"
