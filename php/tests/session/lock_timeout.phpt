--TEST--
larder: session: larder.session_lock, session_lock_wait and session_lock_timeout; reading and closing at once takes no lock
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
larder.session_lock_wait=20
--FILE--
<?php
ob_start();
session_id('held');
session_start();
$_SESSION['v'] = 'stored';
session_write_close();

[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (($pid = pcntl_fork()) === 0) {
    session_start();
    $_SESSION['v'] = 'of the child';
    fwrite($there, "has it\n");
    fgets($there);
    session_write_close();
    fwrite($there, "gave it back\n");
    fgets($there);
    posix_kill(getmypid(), SIGKILL);
}
echo fgets($here);

/* PHP forgets the id when session_start() fails, so set it again. */
function start(array $options = []): bool { session_id('held'); return session_start($options); }
echo "-- fail\n";
var_dump(start(), session_status() === PHP_SESSION_NONE);
echo "-- not waiting at all\n";
ini_set('larder.session_lock_wait', 0);
var_dump(@start());
echo "-- read and close\n";
var_dump(start(['read_and_close' => true]), $_SESSION);
var_dump(start(['read_and_close' => '1']));
var_dump(@start(['read_and_close' => false]));
echo "-- tools\n";
try { Larder\Sessions::destroy('held'); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
echo "-- readonly\n";
ini_set('larder.session_lock_timeout', 'readonly');
var_dump(start(), $_SESSION);
$_SESSION['v'] = 'lost';
var_dump(session_write_close());
echo "-- readonly, unchanged\n";
var_dump(@start(), session_write_close());
echo "-- readonly, destroyed\n";
var_dump(@start(), session_destroy(), start(['read_and_close' => true]), $_SESSION['v']);
echo "-- without locks\n";
ini_set('larder.session_lock', 0);
var_dump(start());
$_SESSION['v'] = 'over it';
var_dump(session_write_close());
ini_set('larder.session_lock', 1);

echo "-- given back\n";
fwrite($here, "go on\n");
echo fgets($here);
var_dump(start(), $_SESSION);
session_write_close();
fwrite($here, "end\n");
pcntl_waitpid($pid, $status);

echo "-- bad settings\n";
foreach (['lock' => 'maybe', 'lock_wait' => 'soon', 'lock_timeout' => 'explode', 'max_size' => '0'] as $name => $bad) {
    var_dump(ini_set("larder.session_$name", $bad), ini_get("larder.session_$name"));
}
--EXPECTF--
has it
-- fail

Warning: session_start(): Another request has this session for longer than larder.session_lock_wait = 20 ms in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: ) in %s on line %d
bool(false)
bool(true)
-- not waiting at all
bool(false)
-- read and close
bool(true)
array(1) {
  ["v"]=>
  string(6) "stored"
}
bool(true)
bool(false)
-- tools
Another request has this session for longer than larder.session_lock_wait = 0 ms
-- readonly

Notice: session_start(): Another request has this session for longer than larder.session_lock_wait = 0 ms; this one can only read it in %s on line %d
bool(true)
array(1) {
  ["v"]=>
  string(6) "stored"
}

Warning: session_write_close(): The session is not written: another request had it, and larder.session_lock_timeout is readonly in %s on line %d

Warning: session_write_close(): Failed to write session data (larder). Please verify that the current setting of session.save_path is correct () in %s on line %d
bool(true)
-- readonly, unchanged
bool(true)
bool(true)
-- readonly, destroyed

Warning: session_destroy(): The session is not destroyed: another request had it, and larder.session_lock_timeout is readonly in %s on line %d

Warning: session_destroy(): Session object destruction failed in %s on line %d
bool(true)
bool(false)
bool(true)
string(6) "stored"
-- without locks
bool(true)
bool(true)
-- given back
gave it back
bool(true)
array(1) {
  ["v"]=>
  string(12) "of the child"
}
-- bad settings

Warning: larder.session_lock = "maybe": must be 0 or 1; it is 1 in %s on line %d
bool(false)
string(1) "1"

Warning: larder.session_lock_wait = "soon": must be a number of milliseconds, or -1 for no limit; it is 0 in %s on line %d
bool(false)
string(1) "0"

Warning: larder.session_lock_timeout = "explode": must be fail or readonly; it is readonly in %s on line %d
bool(false)
string(8) "readonly"

Warning: larder.session_max_size = "0": must be a size of at least 1 byte, such as 1M; it is 1M in %s on line %d
bool(false)
string(2) "1M"
