--TEST--
larder: compat user_cache: a lock keeps other processes from taking it, until it is given back
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
$c = UserCache\Cache::getPool('locks');
var_dump($c->lock('k'), $c->unlock('k'), $c->unlock('k'), $c->lock('k'), $c->lock('other'));
function elsewhere(): string
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        $got = UserCache\Cache::getPool('locks')->lock('k');
        posix_kill(getmypid(), $got ? SIGKILL : SIGTERM);
    }
    pcntl_waitpid($pid, $status);
    return pcntl_wtermsig($status) === SIGKILL ? 'taken' : 'refused';
}
echo elsewhere(), "\n";
$c->clear();
echo elsewhere(), "\n";
$c->unlock('k');
echo elsewhere(), "\n";
var_dump($c->lock('k', 0.05), usleep(150000), $c->unlock('k'));
--EXPECT--
bool(true)
bool(true)
bool(false)
bool(true)
bool(true)
refused
refused
taken
bool(true)
NULL
bool(false)
