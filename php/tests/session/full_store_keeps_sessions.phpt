--TEST--
larder: session: a full store and a session that is too large are said loudly, and what was stored stays; as soon as a session expires there is room
--EXTENSIONS--
larder
session
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.cache_limiter=
larder.session_size=1M
larder.form=ready
larder.session_max_size=100K
--FILE--
<?php
ob_start();
use Larder\Sessions;
$write = function (string $id, int $bytes, int $seconds = 1000): bool {
    global $said;
    $said = null;
    ini_set('session.gc_maxlifetime', $seconds);
    session_id($id);
    session_start();
    $_SESSION['text'] = str_repeat($id[0], $bytes);
    session_write_close();
    return $said === null;
};
set_error_handler(function (int $level, string $text) use (&$said): bool {
    global $said;
    $said ??= $text;
    return true;
});
echo "-- too large\n";
var_dump($write('kept', 50000), $write('kept', 120000));
echo $said, "\n";
session_id('kept');
session_start(['read_and_close' => true]);
var_dump($_SESSION['text'] === str_repeat('k', 50000));
ini_set('larder.session_max_size', '1G');
var_dump($write('kept', 900000));
echo $said, "\n";
ini_set('larder.session_max_size', '100K');

echo "-- full\n";
for ($i = 0; $write("s$i", 5000); $i++);
echo $said, "\n";
var_dump($i > 100, Sessions::count() === $i + 1, Sessions::info()->evictions);
/* The store also refuses new data for an existing session. The session then keeps its old data. */
for ($j = 0; $j < $i && $write("s$j", 5010); $j++);
var_dump($j < $i);
$wrong = [];
for ($k = 0; $k < $i; $k++) {
    session_id("s$k");
    session_start(['read_and_close' => true]);
    if (!in_array($_SESSION['text'] ?? null, [str_repeat('s', 5000), str_repeat('s', 5010)], true)) $wrong[] = $k;
}
var_dump($wrong);

echo "-- two expire\n";
ini_set('session.gc_maxlifetime', 1);
foreach (['s20', 's21'] as $id) { /* write the session unchanged, so that it lives for one more second */
    session_id($id);
    session_start();
    session_write_close();
}
sleep(3);
var_dump($write('new', 5000), Sessions::info()->refusals > 0);
--EXPECTF--
-- too large
bool(true)
bool(false)
session_write_close(): The session has %d bytes, more than larder.session_max_size = 102400. Its last stored content is still there
bool(true)
bool(false)
session_write_close(): The session has %d bytes, more than a store of larder.session_size can take. Its last stored content is still there
-- full
session_write_close(): The store of sessions is full, and no session in it has expired: raise larder.session_size. Its last stored content is still there
bool(true)
bool(true)
int(0)
bool(true)
array(0) {
}
-- two expire
bool(true)
bool(true)
