--TEST--
larder: semaphore: as many owners as permits; a release, a destroyed object and a killed process free one
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\Permit;
use Larder\Semaphore;

function child(callable $run): int
{
    if (($pid = pcntl_fork()) === 0) {
        exit($run());
    }
    return $pid;
}
function ended(int $pid): int
{
    pcntl_waitpid($pid, $status);
    return pcntl_wifexited($status) ? pcntl_wexitstatus($status) : -1;
}

$a = Semaphore::acquire('export', 2);
$b = Semaphore::acquire('export', 2);
var_dump($a instanceof Permit, $b instanceof Permit, Semaphore::count('export', 2), Semaphore::acquire('export', 2));
echo ended(child(fn() => Semaphore::acquire('export', 2, wait: 0.02) === null ? 7 : 8)), "\n";
var_dump($a->release(), $a->release(), Semaphore::count('export', 2));
unset($b);
var_dump(Semaphore::count('export', 2));

// a waiting process gets the permit when the owner releases the permit, and when the owner is killed
[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$owner = child(function () use ($there): int {
    $permits = [Semaphore::acquire('one', 1)];
    fwrite($there, 'x');
    sleep(600);
    return count($permits); // use the array here, because otherwise opcache frees it at once
});
fread($here, 1);
var_dump(Semaphore::acquire('one', 1), Semaphore::count('one', 1));
posix_kill($owner, SIGKILL);
var_dump(Semaphore::acquire('one', 1, wait: 60) instanceof Permit);
ended($owner);

// the permit ends with its lease
$c = Semaphore::acquire('lease', 1, lease: 0.02);
usleep(100000);
var_dump(ended(child(fn() => Semaphore::acquire('lease', 1) !== null ? 7 : 8)), $c->release());

// renew() sets a new lease
$d = Semaphore::acquire('lease', 1, lease: 600);
var_dump($d->renew(0.02));
usleep(100000);
var_dump($d->renew(600), Semaphore::count('lease', 1), $d->release());
$d = Semaphore::acquire('lease', 1, lease: 600);
var_dump($d->renew(0), $d->renew(600), $d->release(), $d->renew(600));

foreach ([fn() => $d->renew(-1), fn() => Semaphore::acquire('', 1), fn() => Semaphore::acquire('s', 0), fn() => Semaphore::count('s', 1025), fn() => Semaphore::acquire('s', 1, -1),
    fn() => Semaphore::acquire('s', 1, 0, NAN), fn() => serialize($c), fn() => clone $c] as $call) {
    try {
        $call();
    } catch (Throwable $e) {
        echo $e->getMessage(), "\n";
    }
}
--EXPECT--
bool(true)
bool(true)
int(2)
NULL
7
bool(true)
bool(false)
int(1)
int(0)
NULL
int(1)
bool(true)
int(7)
bool(false)
bool(true)
bool(false)
int(0)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
Larder\Permit::renew(): Argument #1 ($lease) must be greater than or equal to 0
Larder\Semaphore::acquire(): Argument #1 ($name) must be between 1 and 1024 bytes long, 0 given
Larder\Semaphore::acquire(): Argument #2 ($permits) must be between 1 and 1024
Larder\Semaphore::count(): Argument #2 ($permits) must be between 1 and 1024
Larder\Semaphore::acquire(): Argument #3 ($lease) must be greater than or equal to 0
Larder\Semaphore::acquire(): Argument #4 ($wait) must be a finite number of seconds
Serialization of 'Larder\Permit' is not allowed
Trying to clone an uncloneable object of class Larder\Permit
