--TEST--
larder: session: strict mode takes no id that it did not give; without it any good one is taken
--EXTENSIONS--
larder
session
--INI--
session.save_handler=larder
session.use_cookies=0
session.cache_limiter=
session.use_strict_mode=1
--FILE--
<?php
ob_start();
session_id('chosenbythevisitor');
session_start();
$given = session_id();
var_dump($given !== 'chosenbythevisitor', preg_match('/^[0-9a-z]{32}$/', $given));
$_SESSION['mine'] = true;
session_write_close();

session_id($given);
session_start();
var_dump(session_id() === $given, $_SESSION);
session_destroy();

session_id($given);
session_start();
var_dump(session_id() === $given, $_SESSION);
session_destroy();

echo "-- ids that cannot be ids\n";
foreach (['a b', 'a/b', str_repeat('x', 257), "nul\0", 'ü', 'a.b'] as $bad) {
    session_id($bad);
    session_start();
    var_dump(session_id() !== $bad);
    session_destroy();
}
echo "-- without it\n";
ini_set('session.use_strict_mode', 0);
session_id('chosenbythevisitor');
session_start();
$_SESSION['kept'] = 1;
session_write_close();
var_dump(Larder\Sessions::ids());
foreach (['a.b', str_repeat('x', 257), "nul\0", ''] as $bad) {
    session_id($bad);
    var_dump(session_start());
    session_status() === PHP_SESSION_ACTIVE && session_abort();
}
var_dump(Larder\Sessions::count());
--EXPECTF--
bool(true)
int(1)
bool(true)
array(1) {
  ["mine"]=>
  bool(true)
}
bool(false)
array(0) {
}
-- ids that cannot be ids
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
-- without it
array(1) {
  [0]=>
  string(18) "chosenbythevisitor"
}

Warning: session_start(): A session ID must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","; this one, of 3, is not in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: %S) in %s on line %d
bool(false)

Warning: session_start(): A session ID must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","; this one, of 257, is not in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: %S) in %s on line %d
bool(false)

Warning: session_start(): A session ID must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","; this one, of 4, is not in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: %S) in %s on line %d
bool(false)
bool(true)
int(1)
