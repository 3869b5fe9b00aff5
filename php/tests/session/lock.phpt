--TEST--
larder: session: one process has a session at a time; the others wait, and none of their changes is lost
--EXTENSIONS--
larder
session
pcntl
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
larder.session_lock_wait=-1
--FILE--
<?php
ob_start();
const WORKERS = 6, ROUNDS = 300;
Larder\Sessions::count(); /* open the store now, so that the children share it */
for ($i = 0; $i < WORKERS; $i++) {
    if (($pids[] = pcntl_fork()) > 0) continue;
    for ($n = 0; $n < ROUNDS; $n++) {
        session_id('shared');
        session_start();
        $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
        $_SESSION['by'][$i] = ($_SESSION['by'][$i] ?? 0) + 1;
        session_write_close();
        if ($n % 50 === 0) { /* session_abort() does not write the session */
            session_start();
            $_SESSION['count'] = -1;
            session_abort();
        }
    }
    posix_kill(getmypid(), SIGKILL);
}
foreach ($pids as $pid) pcntl_waitpid($pid, $status);
session_id('shared');
session_start();
ksort($_SESSION['by']);
echo $_SESSION['count'], ' ', json_encode($_SESSION['by']), "\n";
--EXPECT--
1800 [300,300,300,300,300,300]
