--TEST--
larder: session: without locks, a request that outlasts the end of a destroyed session does not make its id valid again
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
larder.session_lock=0
--FILE--
<?php
ob_start();
function visit(string $id, callable $run): void
{
    session_id($id);
    session_start();
    $run();
    session_write_close();
}
function request(string $id, int $seconds): int
{
    if (($pid = pcntl_fork()) === 0) {
        visit($id, function () use ($seconds) {
            sleep($seconds);
            $_SESSION['visits'] = 1;
        });
        posix_kill(getmypid(), SIGKILL);
    }
    return $pid;
}
visit('destroyed', fn () => $_SESSION['user'] = 'alice');
ini_set('session.gc_maxlifetime', 2);
visit('expired', fn () => $_SESSION['user'] = 'bob');
ini_set('session.gc_maxlifetime', 1000);
$pids = [request('destroyed', 63), request('expired', 4)];
sleep(1);
visit('destroyed', fn () => session_destroy()); // the end lives for a minute
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
}
ini_set('session.use_strict_mode', 1);
foreach (['destroyed', 'expired'] as $id) {
    session_id($id);
    session_start();
    echo "$id: ", session_id() === $id ? 'valid' : 'refused', "\n";
    session_write_close();
}
?>
--EXPECT--
destroyed: refused
expired: valid
