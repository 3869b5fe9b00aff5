--TEST--
larder: session: with lazy_write an unchanged session is not written, but lives on; a session destroyed meanwhile stays destroyed, also without locks
--EXTENSIONS--
larder
session
pcntl
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
larder.session_lock=0
--FILE--
<?php
ob_start();
/* Another process changes the session while this process has it open. The session keeps the data that was written last. */
$other = function (string $code): void {
    if (($pid = pcntl_fork()) === 0) {
        session_abort();
        eval($code);
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($pid, $status);
};
$change = 'session_id("id"); session_start(); $_SESSION["v"] = "changed"; session_write_close();';
foreach ([1, 0] as $lazy) {
    ini_set('session.lazy_write', $lazy);
    session_id('id');
    session_start();
    $_SESSION['v'] = 'first';
    session_write_close();
    session_start();
    $other($change);
    session_write_close();
    session_start(['read_and_close' => true]);
    echo "lazy_write=$lazy: ", $_SESSION['v'], "\n";
}
ini_set('session.lazy_write', 1);
session_start();
$other('Larder\Sessions::destroy("id");');
session_write_close();
session_start(['read_and_close' => true]);
echo 'destroyed meanwhile: ', json_encode($_SESSION), "\n";
Larder\Sessions::write('id', 'v|s:5:"again";', 1000);
session_start();
$other('Larder\Sessions::destroy("id");');
$_SESSION['v'] = 'mine';
session_write_close();
session_start(['read_and_close' => true]);
echo 'destroyed meanwhile, and changed: ', json_encode($_SESSION), "\n";

echo "-- its life begins anew\n";
for ($seconds = 2; ; $seconds *= 2) {
    ini_set('session.gc_maxlifetime', $seconds);
    session_start();
    $_SESSION['v'] = $seconds; /* a changed session is written, and lives for $seconds seconds */
    session_write_close();
    ini_set('session.gc_maxlifetime', 1000);
    session_start();
    $alive = isset($_SESSION['v']);
    session_write_close(); /* touches the session, so that it lives for 1,000 seconds from now, but does not write it */
    if ($alive) break; /* if the machine was too slow, try again with a longer life */
}
usleep(($seconds * 1000 + 500) * 1000);
session_start(['read_and_close' => true]);
var_dump(isset($_SESSION['v']));
--EXPECT--
lazy_write=1: changed
lazy_write=0: first
destroyed meanwhile: []
destroyed meanwhile, and changed: []
-- its life begins anew
bool(true)
