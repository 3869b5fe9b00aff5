--TEST--
larder: session: an unchanged session of another request does not shorten the end of a destroyed one, so its id never becomes valid again
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
session.gc_maxlifetime=1
--FILE--
<?php
ob_start();
function during(callable $run): int
{
    if (($pid = pcntl_fork()) === 0) {
        session_id('visitor');
        session_start();
        $run();
        session_write_close();
        posix_kill(getmypid(), SIGKILL); /* end without printing the output that the parent has buffered */
    }
    return $pid;
}
foreach ([0, 1] as $lazy) {
    ini_set('larder.session_lock', 0);
    ini_set('session.lazy_write', $lazy);
    ini_set('session.use_strict_mode', 0);
    session_id('visitor');
    session_start();
    $_SESSION['user'] = 'alice';
    session_write_close();
    $writes = during(function () {
        usleep(2500000);
        $_SESSION['visits'] = 1;
    });
    $changes_nothing = during(fn () => usleep(1000000));
    $destroys = during(function () {
        usleep(500000);
        session_destroy();
    });
    foreach ([$destroys, $changes_nothing, $writes] as $pid) {
        pcntl_waitpid($pid, $status);
        }
    ini_set('session.use_strict_mode', 1);
    session_id('visitor');
    session_start();
    var_dump(session_id() === 'visitor');
    session_destroy();
}
?>
--EXPECT--
bool(false)
bool(false)
