--TEST--
larder: session: a written session is read back, also after regenerating, resetting, aborting and destroying
--EXTENSIONS--
larder
session
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.cache_limiter=
session.gc_probability=0
--FILE--
<?php
ob_start();
use Larder\Sessions;

echo "-- a new session\n";
session_id('first');
var_dump(session_start(), $_SESSION, Sessions::count());
$_SESSION = ['n' => 1, 'list' => ['a', 2.5, null], 'text' => str_repeat("x\0y", 1000)];
var_dump(session_write_close(), Sessions::ids());

echo "-- read again\n";
session_id('first');
session_start();
var_dump($_SESSION['n'], $_SESSION['list'], $_SESSION['text'] === str_repeat("x\0y", 1000));

echo "-- reset and abort\n";
$_SESSION['n'] = 99;
var_dump(session_reset(), $_SESSION['n']);
$_SESSION['n'] = 98;
var_dump(session_abort());
session_start();
var_dump($_SESSION['n']);

echo "-- a new id, the old session stays\n";
$_SESSION['n'] = 2;
var_dump(session_regenerate_id(), session_id() !== 'first');
$_SESSION['n'] = 3;
$second = session_id();
session_write_close();
$ids = Sessions::ids();
sort($ids);
$both = ['first', $second];
sort($both);
var_dump($ids === $both);
session_id('first');
session_start(['read_and_close' => true]);
var_dump($_SESSION['n']);

echo "-- a new id, the old session goes\n";
session_id($second);
session_start();
var_dump($_SESSION['n'], session_regenerate_id(true), in_array($second, Sessions::ids()));
session_write_close();
var_dump(in_array(session_id(), Sessions::ids()), Sessions::count());

echo "-- destroyed\n";
session_start();
var_dump(session_destroy(), Sessions::ids());
session_id('missing');
session_start();
var_dump(session_destroy());

echo "-- ids\n";
session_id('first');
session_start();
var_dump(preg_match('/^pre-[0-9a-z]{32}$/', session_create_id('pre-')));
session_write_close();

echo "-- encoded\n";
session_start();
$text = session_encode();
session_write_close();
session_id('copy');
session_start();
var_dump(session_decode($text), $_SESSION['list'][1]);
session_unset();
session_write_close();
session_start();
var_dump($_SESSION);
session_write_close();
--EXPECT--
-- a new session
bool(true)
array(0) {
}
int(0)
bool(true)
array(1) {
  [0]=>
  string(5) "first"
}
-- read again
int(1)
array(3) {
  [0]=>
  string(1) "a"
  [1]=>
  float(2.5)
  [2]=>
  NULL
}
bool(true)
-- reset and abort
bool(true)
int(1)
bool(true)
int(1)
-- a new id, the old session stays
bool(true)
bool(true)
bool(true)
int(2)
-- a new id, the old session goes
int(3)
bool(true)
bool(false)
bool(true)
int(2)
-- destroyed
bool(true)
array(1) {
  [0]=>
  string(5) "first"
}
bool(true)
-- ids
int(1)
-- encoded
bool(true)
float(2.5)
array(0) {
}
