--TEST--
larder: session: a session destroyed while a request waited for it stays destroyed, also if that request makes an id for later
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.save_handler=larder
session.use_strict_mode=1
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
require __DIR__ . '/../include/asleep.php';
ob_start();
session_start();
$id = session_id();
$_SESSION['user'] = 'alice';
session_write_close();
$sides = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$parent = getmypid();
if (pcntl_fork() === 0) {
    session_id($id);
    session_start();
    fwrite($sides[1], 'x');
    asleep($parent);
    session_destroy();
    posix_kill(getmypid(), SIGKILL);
}
fread($sides[0], 1);
session_id($id);
session_start();
var_dump($_SESSION);
$_SESSION['next'] = session_create_id();
session_write_close();
var_dump(Larder\Sessions::ids());
--EXPECT--
array(0) {
}
array(0) {
}
