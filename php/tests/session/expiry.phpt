--TEST--
larder: session: sessions expire by session.gc_maxlifetime without a collection, and their memory comes back with other writes
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
$write = function (string $id, int $seconds): void {
    ini_set('session.gc_maxlifetime', $seconds);
    session_id($id);
    session_start();
    $_SESSION = ['text' => str_repeat('s', 1000)];
    session_write_close();
};
for ($i = 0; $i < 1000; $i++) $write("short$i", 1);
$write('long', 1000);
$write('zero', 0); /* the shortest life */
$write('negative', -5);
var_dump(Sessions::info()->entry_count > 1);
usleep(1600000);
var_dump(Sessions::count(), Sessions::ids());
session_id('short1');
session_start();
var_dump($_SESSION);
session_abort();

/* Each write also removes some expired sessions from the store. */
for ($writes = 0; Sessions::info()->expirations < 1002 && $writes < 20000; $writes++) $write('other' . $writes % 97, 1000);
var_dump(Sessions::info()->expirations, Sessions::count() >= 2);
--EXPECT--
bool(true)
int(1)
array(1) {
  [0]=>
  string(4) "long"
}
array(0) {
}
int(1002)
bool(true)
