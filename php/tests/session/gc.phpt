--TEST--
larder: session: gc frees what has expired at once and says how many those were
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
$write('long', 1000);
session_start();
var_dump(session_gc());
session_write_close();
for ($i = 0; $i < 5; $i++) $write("short$i", 1000);
ini_set('session.gc_maxlifetime', 1);
for ($i = 0; $i < 5; $i++) { /* write each session unchanged: this sets its lifetime to one more second, but removes no expired session */
    session_id("short$i");
    session_start();
    session_write_close();
}
usleep(1600000);
/* Without other writes, all five expired sessions are still in the store. */
session_id('long');
session_start(['read_and_close' => true]);
session_start();
var_dump(session_gc() + 5 - Sessions::info()->expirations, Sessions::info()->entry_count, $_SESSION['text'] === str_repeat('s', 1000));
session_write_close();
--EXPECT--
int(0)
int(5)
int(1)
bool(true)
