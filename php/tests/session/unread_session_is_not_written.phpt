--TEST--
larder: session: a session that could not be read is not written, and one that cannot be stored keeps what was there
--EXTENSIONS--
larder
session
pcntl
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
ob_start();
$count = function (string $id): int {
    session_id($id);
    session_start(['read_and_close' => true]);
    return count($_SESSION);
};

echo "-- a handler of the user takes a failed read for a new session\n";
final class Encrypted extends SessionHandler
{
    public function read(string $id): string
    {
        $data = parent::read($id);
        return $data ? strrev($data) : '';
    }

    public function write(string $id, string $data): bool
    {
        return parent::write($id, strrev($data));
    }
}
session_set_save_handler(new Encrypted);
session_id('user');
session_start();
$_SESSION = ['name' => 'Ann', 'n' => 1];
session_write_close();
[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (($pid = pcntl_fork()) === 0) {
    session_start();
    fwrite($there, 'x');
    fread($there, 1);
    $_SESSION['n']++;
    session_write_close();
    fwrite($there, 'x');
    posix_kill(getmypid(), 9);
}
fread($here, 1);
ini_set('larder.session_lock_wait', 1);
var_dump(session_start(), $_SESSION);
fwrite($here, 'x');
fread($here, 1);
$_SESSION['seen'] = true;
session_write_close();
session_start();
echo json_encode($_SESSION), "\n";
$_SESSION['n']++;
session_write_close();
session_start();
echo json_encode($_SESSION), "\n";

echo "-- a name that the serializer cannot store\n";
$_SESSION['a|b'] = 1;
@session_write_close(); /* PHP 8.5 and Larder warn; from PHP 8.6 on, only PHP warns */
session_start();
echo json_encode($_SESSION), "\n";
$_SESSION = [];
session_write_close();
var_dump($count('user'));
--EXPECTF--
-- a handler of the user takes a failed read for a new session

Warning: SessionHandler::read(): Another request has this session for longer than larder.session_lock_wait = 1 ms in %s on line %d
bool(true)
array(0) {
}

Warning: SessionHandler::write(): The session is not written, because it could not be read. Its last stored content is still there in %s on line %d

Warning: session_write_close(): Failed to write session data using user defined save handler. (session.save_path: , handler: Encrypted::write) in %s on line %d
{"name":"Ann","n":2}
{"name":"Ann","n":3}
-- a name that the serializer cannot store
{"name":"Ann","n":3}
int(0)
