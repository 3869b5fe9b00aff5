--TEST--
larder: session: a process killed with an open session holds nothing and has changed nothing
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.cache_limiter=
larder.session_lock_wait=60000
--FILE--
<?php
/* LARDER_KILLS=2000 makes the test longer. LARDER_REPORT=FILE writes the measurements to FILE. */
ob_start();
$kills = (int) (getenv('LARDER_KILLS') ?: 60);
session_id('held');
session_start();
$_SESSION['v'] = ['kept', 0];
session_write_close();
$waits = [];
for ($i = 0; $i < $kills; $i++) {
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pid = pcntl_fork()) === 0) {
        if ($i % 3 === 2) { /* this child may be killed at any instruction of start, write and close */
            fwrite($there, "soon\n");
            for (;;) {
                session_start();
                $_SESSION['v'][1]++;
                session_write_close();
            }
        }
        session_start();
        $_SESSION['v'] = 'changed';
        fwrite($there, "has it\n");
        for (;;) pause();
    }
    fgets($here);
    if ($i % 3 === 2) usleep(mt_rand(100, 3000));
    /* Another process already waits for the session when the owner dies. */
    if (($next = pcntl_fork()) === 0) {
        session_start();
        fwrite($there, $_SESSION['v'][0] . ' ' . hrtime(true) . "\n");
        session_write_close();
        posix_kill(getmypid(), SIGKILL);
    }
    usleep(mt_rand(0, 2) * 4000);
    posix_kill($pid, $i % 2 ? SIGKILL : SIGTERM);
    pcntl_waitpid($pid, $status); /* the owner is dead now */
    $gone = hrtime(true);
    [$value, $at] = explode(' ', (string) fgets($here)) + ['', 0];
    if ($value !== 'kept') die("kill $i: \"$value\"");
    $waits[] = max(0, $at - $gone) / 1e6;
    pcntl_waitpid($next, $status);
}
function pause(): void { usleep(100000); }
session_id('held');
session_start();
var_dump($_SESSION['v'][0], Larder\Sessions::count(), Larder\Sessions::info()->deaths > 0);
sort($waits);
if ($file = getenv('LARDER_REPORT'))
    file_put_contents($file, sprintf("%d owners killed: the next one had the lock after %.2f ms (median), %.2f ms (99 %%), %.2f ms (longest)\n", $kills, $waits[$kills >> 1], $waits[(int) ($kills * .99)], end($waits)), FILE_APPEND);
--EXPECT--
string(4) "kept"
int(1)
bool(true)
