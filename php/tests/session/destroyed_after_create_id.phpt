--TEST--
larder: session: a session destroyed while a request has it stays destroyed, also if that request has made an id with session_create_id()
--EXTENSIONS--
larder
session
pcntl
posix
--INI--
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
ob_start();
function stored(): string
{
    session_id('');
    session_start();
    $_SESSION['user'] = 'alice';
    session_write_close();
    return session_id();
}
function open(string $id): void
{
    session_id($id);
    session_start();
    $_SESSION['next'] = session_create_id();
}
foreach ([0, 1] as $strict) foreach ([0, 1] as $lazy) {
    ini_set('session.use_strict_mode', (string) $strict);
    ini_set('session.lazy_write', (string) $lazy);

    /* The request that has the session calls Sessions::destroy(). */
    ini_set('larder.session_lock', '1');
    open($own = stored());
    $done = Larder\Sessions::destroy($own);
    session_write_close();

    /* Another request destroys the session. Sessions are not locked. */
    ini_set('larder.session_lock', '0');
    $id = stored();
    $sides = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $child = pcntl_fork();
    if ($child === 0) {
        fread($sides[1], 1);
        session_id($id);
        session_start();
        session_destroy();
        posix_kill(getmypid(), SIGKILL);
    }
    open($id);
    fwrite($sides[0], 'x');
    pcntl_waitpid($child, $status);
    session_write_close();

    echo "strict $strict, lazy $lazy: ", json_encode([$done, Larder\Sessions::read($own), Larder\Sessions::read($id)]), "\n";
}
--EXPECT--
strict 0, lazy 0: [true,null,null]
strict 0, lazy 1: [true,null,null]
strict 1, lazy 0: [true,null,null]
strict 1, lazy 1: [true,null,null]
