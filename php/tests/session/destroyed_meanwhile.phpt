--TEST--
larder: session: an id that is destroyed while another request waits for it stays destroyed, as with files
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
require __DIR__ . '/../include/asleep.php';
ob_start();
Larder\Sessions::count(); /* open the store now, so that the children share it */
mkdir($folder = sys_get_temp_dir() . '/larder-destroyed-' . getmypid());
session_save_path($folder);
function child(callable $run): int
{
    if (($pid = pcntl_fork()) === 0) {
        $run();
        posix_kill(getmypid(), SIGKILL);
    }
    return $pid;
}
foreach (['destroy' => fn () => session_destroy(), 'another id' => fn () => session_regenerate_id(true), 'written again' => function () {
    $id = session_id();
    session_destroy();
    session_id($id);
    session_start();
    $_SESSION['user'] = 'bob';
    session_write_close();
}] as $what => $end) {
    foreach ([0, 1] as $strict) {
        foreach (['files', 'larder'] as $handler) {
            ini_set('session.save_handler', $handler);
            ini_set('session.use_strict_mode', $strict);
            if ($what === 'written again' && $strict) continue; /* in strict mode, the second request gets another id */
            session_id('');
            session_start();
            $id = session_id();
            $_SESSION['user'] = 'alice';
            session_write_close();
            $sides = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $first = child(function () use ($id, $end, $sides) {
                session_id($id);
                session_start();
                fwrite($sides[1], 'x'); /* tell the parent that this child has the lock */
                asleep((int) fgets($sides[1])); /* wait until the second child waits for the lock */
                $end();
                session_write_close();
            });
            fread($sides[0], 1);
            $second = child(function () use ($id, $sides) {
                session_id($id);
                fwrite($sides[0], getmypid() . "\n");
                session_start();
                $_SESSION['visits'] = 1;
                session_write_close();
            });
            pcntl_waitpid($first, $status);
            pcntl_waitpid($second, $status);
            session_id($id);
            session_start();
            echo "$what, strict $strict, $handler: ", session_id() === $id ? 'the same id ' : 'another id ', json_encode(array_diff_key($_SESSION, $what === 'written again' ? ['visits' => 1] : [])), "\n"; /* the second child may write "visits" before the first child writes again, so ignore "visits" then */
            session_destroy();
        }
    }
}
/* Destroy a session that Sessions::write() has stored without a limit of time. */
ini_set('session.use_strict_mode', 1);
ini_set('session.save_handler', 'larder');
Larder\Sessions::write('nolimit', 'user|s:5:"alice";', 0, $folder);
$sides = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$parent = getmypid();
$first = child(function () use ($sides, $parent) {
    session_id('nolimit');
    session_start();
    fwrite($sides[1], 'x');
    asleep($parent);
    session_destroy();
});
fread($sides[0], 1);
session_id('nolimit');
session_start();
$_SESSION['visits'] = 1;
session_write_close();
pcntl_waitpid($first, $status);
echo 'without an end: ', json_encode(Larder\Sessions::read('nolimit', $folder)), "\n";
array_map('unlink', glob("$folder/*"));
rmdir($folder);
--EXPECT--
destroy, strict 0, files: the same id []
destroy, strict 0, larder: the same id []
destroy, strict 1, files: another id []
destroy, strict 1, larder: another id []
another id, strict 0, files: the same id []
another id, strict 0, larder: the same id []
another id, strict 1, files: another id []
another id, strict 1, larder: another id []
written again, strict 0, files: the same id {"user":"bob"}
written again, strict 0, larder: the same id {"user":"bob"}
without an end: null
