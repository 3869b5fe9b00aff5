--TEST--
larder: signals: a handler that is PHP code may run inside a call: its calls to a store are refused, and a call that it leaves ends the process
--EXTENSIONS--
larder
posix
ffi
--SKIPIF--
<?php if (!function_exists('pcntl_fork') || !class_exists('FFI')) die('skip needs pcntl and FFI'); ?>
--INI--
ffi.enable=1
display_errors=0
log_errors=1
--FILE--
<?php
use Larder\{Queue, VolatileCache as V};

/* Installs a signal handler through C, and lets it interrupt a pop() that sleeps in the core. */
function interrupt_pop(Closure $handler): mixed
{
    $c = FFI::cdef('typedef void (*handler)(int); handler signal(int, handler);');
    $c->signal(SIGUSR2, $handler);
    $me = getmypid();
    if (!pcntl_fork()) {
        for ($asleep = 0; $asleep < 20 && posix_getppid() === $me; usleep(10000)) {
            $asleep = preg_match('~\) S ~', file_get_contents("/proc/$me/stat")) ? $asleep + 1 : 0;
        }
        posix_kill($me, SIGUSR2);
        posix_kill(getmypid(), SIGKILL);
    }
    return Queue::open('q')->pop(600);
}

function told(Closure $call): mixed
{
    try {
        return $call();
    } catch (Throwable $e) {
        return get_class($e) . ': ' . $e->getMessage();
    }
}

V::set('k', 'before');
Queue::open('q');
$popped = interrupt_pop(function () {
    var_dump(told(fn () => V::get('k', 'default')), told(fn () => V::set('k', 'inside')));
    var_dump(told(fn () => Queue::open('q')->push('x')), told(fn () => Larder\PinnedCache::get('k', 'default')));
});
var_dump($popped, V::get('k'), V::set('k', 'after'), V::get('k'));

echo "left:\n";
if (!($pid = pcntl_fork())) {
    ini_set('log_errors', 0);
    interrupt_pop(function () {
        str_repeat('x', PHP_INT_MAX >> 1); /* exceeds memory_limit: a fatal error */
    });
    exit(1);
}
pcntl_waitpid($pid, $status);
var_dump(pcntl_wifexited($status) ? pcntl_wexitstatus($status) : "signal $status");
var_dump(V::get('k'), Queue::open('q')->push('x') !== null, Queue::open('q')->pop()?->body);
?>
--EXPECT--
string(7) "default"
bool(false)
string(101) "Larder\StaticCacheException: The queue cannot be opened: called from inside a call on the same thread"
string(7) "default"
NULL
string(6) "before"
bool(true)
string(5) "after"
left:
Larder: a signal handler has left a call of the store; the process ends, so that others can go on. Let the handler return instead
int(255)
string(5) "after"
bool(true)
string(1) "x"
