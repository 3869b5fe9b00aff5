--TEST--
larder: session: Larder\Sessions and phpinfo()
--EXTENSIONS--
larder
session
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=/my/site
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
ob_start();
use Larder\Sessions;
foreach (['a', 'b', 'c'] as $id) {
    session_id($id);
    session_start();
    $_SESSION['id'] = $id;
    session_write_close();
}
$ids = Sessions::ids();
sort($ids);
echo implode(' ', $ids), ' ', Sessions::count(), ' ', get_class(Sessions::info()), ' ', Sessions::info()->entry_count, ' ', Sessions::info()->configured_memory, "\n";
var_dump(Sessions::destroy('b'), Sessions::destroy('b'), Sessions::count());
foreach (['', 'a b', "a\0", str_repeat('x', 257)] as $bad) {
    try { Sessions::destroy($bad); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
}
echo "-- the session that is open\n";
session_id('a');
session_start();
var_dump(Sessions::destroy('a'), Sessions::count());
$_SESSION['more'] = 1;
session_write_close(); /* stores nothing, because the session was destroyed */
var_dump(Sessions::count());
try { new Sessions; } catch (Error $e) { echo $e->getMessage(), "\n"; }
ob_start();
phpinfo(INFO_MODULES);
preg_match('/^Larder.Sessions => on\n.*?\n\n/ms', ob_get_clean(), $m);
echo preg_replace(['/^(Store|Memory|Entries|Largest value|Reads|Writes|Left|Deaths survived|Processes.*?) => .*/m'], ['$1'], $m[0]);
preg_match('/Registered save handlers => .*/', (function () { ob_start(); phpinfo(INFO_MODULES); return ob_get_clean(); })(), $m);
echo $m[0];
--EXPECTF--
a b c 3 Larder\StaticCacheInfo 3 67108864
bool(true)
bool(false)
int(2)
Larder\Sessions::destroy(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
Larder\Sessions::destroy(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
Larder\Sessions::destroy(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
Larder\Sessions::destroy(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
-- the session that is open
bool(true)
int(1)
int(1)
Call to private Larder\Sessions::__construct() from global scope
Larder\Sessions => on
Store
Memory
Entries
Largest value
Reads
Writes
Left
Deaths survived
Processes and threads attached
Sessions are those of session.save_path => /my/site
Lock of a session => one request at a time, waits up to 30000 ms, then fails

Registered save handlers => files user larder%S
