--TEST--
larder: signals: a signal that arrives between the engine's last check and a wait ends the wait, or its handler runs inside
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../compat_apcu/ours.inc';
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--INI--
ignore_user_abort=1
output_buffering=0
larder.compat=apcu
--FILE--
<?php
/* PHP raises SIGPIPE in the instruction of `print` if the output is a closed pipe. The engine looks for no signals before the next
 * instruction, which calls a method of the extension. So the signal always arrives before the wait begins. A process gets this signal only
 * once, because PHP stops writing to a closed pipe. So each wait has its own process. */
use Larder\{Broadcast, Queue, Semaphore, VolatileCache};

const LONG = 59; /* seconds; a wait that misses its signal lasts this long */

/* Calls $wait in a child whose output is a closed pipe. Returns the result of $wait as JSON. */
function in_child(callable $wait): string
{
    $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pid = pcntl_fork()) === 0) {
        fclose(STDOUT);
        $output = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0); /* the first socket becomes descriptor 1 */
        fclose($output[1]);
        $start = hrtime(true);
        $result = $wait();
        fwrite($pair[1], json_encode($result) . (hrtime(true) - $start < 20e9 ? '' : ' too late'));
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($pair[1]);
    $said = stream_get_contents($pair[0]);
    pcntl_waitpid($pid, $status);
    return $said;
}

$calls = 0;
$handle = function () use (&$calls) { $calls++; };
$empty = Queue::open('empty');
$full = Queue::open('full', 1);
$full->push('x');
$permit = Semaphore::acquire('s', 1);
$flags = Broadcast::open('flags');
$flags->publish(1);
$version = $flags->version;

$waits = [
    'pop' => fn () => $empty->pop(LONG + print('x')),
    'popMany' => fn () => $empty->popMany(2, LONG + print('x')),
    'push' => fn () => $full->push('y', wait: LONG + print('x')),
    'acquire' => fn () => Semaphore::acquire('s', 1, wait: LONG + print('x')),
    'wait' => fn () => $flags->wait($version, LONG + print('x')),
];
foreach ([true, false] as $async) {
    pcntl_async_signals($async);
    echo $async ? "async\n" : "dispatch\n";
    pcntl_signal(SIGPIPE, $handle);
    foreach ($waits as $name => $wait) {
        echo "$name: ", in_child(function () use ($wait, &$calls) {
            $result = $wait();
            $before = $calls;
            pcntl_signal_dispatch();
            return [$result, $before, $calls];
        }), "\n";
    }
}

/* A signal ends the wait that it interrupts. It does not end the next wait, or a wait that begins after its handler. */
pcntl_async_signals(false);
echo in_child(function () use ($empty) {
    $empty->pop(LONG + print('x'));
    $start = hrtime(true);
    $empty->pop(0.2);
    return hrtime(true) - $start > 100e6;
}), "\n";
foreach ([true, false] as $async) {
    pcntl_async_signals($async);
    posix_kill(getmypid(), SIGPIPE);
    pcntl_signal_dispatch();
    $start = hrtime(true);
    var_dump($empty->pop(0.2), hrtime(true) - $start > 100e6);
}

/* A signal alone does not end these waits. Here, the signal's handler throws an exception, which ends the wait. */
pcntl_async_signals(true);
pcntl_signal(SIGPIPE, fn () => throw new Exception(debug_backtrace()[1]['function'])); // throws the name of the interrupted function
function thrown_in(Closure $wait): string
{
    return in_child(function () use ($wait) {
        try {
            $wait();
        } catch (Exception $e) {
            return $e->getMessage();
        }
    });
}

VolatileCache::lock('k');
echo thrown_in(fn () => VolatileCache::remember('k', fn () => 1, 1 + print('x'))), "\n";
apcu_entry('k', function () {
    echo thrown_in(fn () => apcu_entry('k', fn () => 1, 1 + print('x'))), "\n";
});
for ($tries = 0, $thrown = ''; $tries < 500 && $thrown !== '"publish"'; $tries++) { /* until the publisher is stopped while it has the lock */
    if (($pid = pcntl_fork()) === 0) {
        for ($text = str_repeat('x', 1 << 20); posix_getppid() !== 1; $flags->publish($text));
        posix_kill(getmypid(), SIGKILL);
    }
    usleep(random_int(1000, 5000));
    posix_kill($pid, SIGSTOP);
    pcntl_waitpid($pid, $status, WUNTRACED);
    $thrown = thrown_in(fn () => $flags->publish(1 + print('x')));
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}
echo $thrown, "\n";
?>
--EXPECT--
async
pop: [null,1,1]
popMany: [[],1,1]
push: [null,1,1]
acquire: [null,1,1]
wait: [false,1,1]
dispatch
pop: [null,0,1]
popMany: [[],0,1]
push: [null,0,1]
acquire: [null,0,1]
wait: [false,0,1]
true
NULL
bool(true)
NULL
bool(true)
"remember"
"apcu_entry"
"publish"
