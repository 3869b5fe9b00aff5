--TEST--
larder: session: a process forked with a session open neither writes nor destroys it, nor gives its lock away
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
larder.session_lock_wait=0
--FILE--
<?php
session_id('open');
session_start();
$_SESSION['v'] = 'stored';
session_write_close();
session_start();
$_SESSION['v'] = 'of the parent';
if (($pid = pcntl_fork()) === 0) {
    $_SESSION['v'] = 'of the child';
    var_dump(session_write_close());
    var_dump(@session_start()); /* fails, because the parent has the session */
    exit;
}
pcntl_waitpid($pid, $status);
if (($pid = pcntl_fork()) === 0) {
    $_SESSION['v'] = 'of the second child';
    exit;
}
pcntl_waitpid($pid, $status);
if (($pid = pcntl_fork()) === 0) {
    var_dump(session_destroy(), Larder\Sessions::ids());
    exit;
}
pcntl_waitpid($pid, $status);
session_write_close();
session_start();
var_dump($_SESSION);
--EXPECTF--
Warning: session_write_close(): The session is not written: the process that forked this one has it in %s on line %d

Warning: session_write_close(): Failed to write session data (larder). Please verify that the current setting of session.save_path is correct () in %s on line %d
bool(true)
bool(false)

Warning: %S: The session is not written: the process that forked this one has it in Unknown on line 0

Warning: %S: Failed to write session data (larder). Please verify that the current setting of session.save_path is correct () in Unknown on line 0

Warning: session_destroy(): The session is not destroyed: the process that forked this one has it in %s on line %d

Warning: session_destroy(): Session object destruction failed in %s on line %d
bool(false)
array(1) {
  [0]=>
  string(4) "open"
}
array(1) {
  ["v"]=>
  string(13) "of the parent"
}
