--TEST--
larder: session: in strict mode an id is good as soon as it is given out, before anything is written under it, as with files; an invented id that a
client has locked is not
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.use_strict_mode=1
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
ob_start();
Larder\Sessions::count(); /* open the store now, so that the children share it */
mkdir($folder = sys_get_temp_dir() . '/larder-given-' . getmypid());
session_save_path($folder);
/* Calls $begin in a child, and returns the session's id. The child keeps the session open for half a second. */
function told(callable $begin, ?callable $end = null): string
{
    $sides = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (pcntl_fork() === 0) {
        $begin();
        fwrite($sides[1], session_id() . "\n");
        usleep(500000);
        $end && $end();
        session_status() === PHP_SESSION_ACTIVE && session_write_close();
        posix_kill(getmypid(), SIGKILL);
    }
    return trim(fgets($sides[0]));
}
function follow(string $id, array $options = []): string
{
    session_id($id);
    session_start($options);
    $seen = (session_id() === $id ? 'the same id ' : 'another id ') . json_encode($_SESSION);
    session_status() === PHP_SESSION_ACTIVE && session_write_close();
    session_id('');
    return $seen;
}
$login = function () {
    session_id('');
    session_start();
    session_regenerate_id(true);
};
$bob = fn () => $_SESSION['user'] = 'bob';
foreach (['files', 'larder'] as $handler) {
    ini_set('session.save_handler', $handler);
    echo "-- $handler\n";
    echo 'written late: ', follow(told($login, $bob)), "\n";
    echo 'destroyed: ', follow(told($login, fn () => session_destroy())), "\n";
    echo 'killed: ', follow(told($login, fn () => posix_kill(getmypid(), SIGKILL))), "\n";
    session_start();
    $id = session_id();
    session_reset();
    echo 'reset: ', session_id() === $id ? "the same id\n" : "another id\n";
    session_abort();
    echo 'aborted: ', follow($id), "\n";
    session_id('');
    session_start(['read_and_close' => true]);
    echo 'read_and_close: ', follow(session_id()), "\n";
    pcntl_wait($status); pcntl_wait($status); pcntl_wait($status);
}
echo "-- larder, made up\n";
$made_up = function () {
    ini_set('session.use_strict_mode', 0);
    session_id('madeup');
    session_start();
};
told($made_up, fn () => session_abort());
echo follow('madeup'), ' ', Larder\Sessions::destroy('madeup') ? 'was there' : 'was not there', "\n";
array_map('unlink', glob("$folder/*"));
rmdir($folder);
--EXPECT--
-- files
written late: the same id {"user":"bob"}
destroyed: the same id []
killed: the same id []
reset: the same id
aborted: the same id []
read_and_close: the same id []
-- larder
written late: the same id {"user":"bob"}
destroyed: the same id []
killed: the same id []
reset: the same id
aborted: the same id []
read_and_close: the same id []
-- larder, made up
another id [] was not there
