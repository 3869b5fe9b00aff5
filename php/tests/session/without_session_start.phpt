--TEST--
larder: session: Larder\Sessions reads and writes sessions of any path without session_start(), and throws where one cannot be stored
--EXTENSIONS--
larder
session
--INI--
session.save_handler=larder
larder.form=ready
session.save_path=/my/site
session.serialize_handler=php
session.use_strict_mode=0
session.use_cookies=0
session.cache_limiter=
larder.session_size=1M
larder.session_max_size=100K
--FILE--
<?php
ob_start();
use Larder\Sessions;
var_dump(Sessions::read('a'), Sessions::write('a', 'number|i:1;', 60), Sessions::read('a'), Sessions::read('a', 'other'), Sessions::read('a', '/my/site'));
session_id('a');
session_start(['read_and_close' => true]);
var_dump($_SESSION);

echo "-- paths\n";
Sessions::write('a', "\0bytes", 60, 'other');
var_dump(Sessions::read('a', 'other') === "\0bytes", Sessions::count());
var_dump(Sessions::destroy('a', 'other'), Sessions::destroy('a', 'other'), Sessions::read('a', 'other'), Sessions::read('a'));

echo "-- times\n";
Sessions::write('short', 'x', 0.05);
Sessions::write('again', 'x', 0.05);
Sessions::write('again', 'x', 60);
Sessions::write('ever', '', 0);
usleep(150000);
var_dump(Sessions::read('short'), Sessions::read('again'), Sessions::read('ever'));

echo "-- wrong\n";
foreach ([['', 'x', 1], ['a b', 'x', 1], ['a', 'x', -1], ['a', 'x', NAN], ['a', 'x', 1, "a\0"], ['a', 'x', 1, str_repeat('p', 70000)], ['a', str_repeat('x', 102401), 1]] as $bad) {
    try { Sessions::write(...$bad); } catch (Throwable $e) { echo $e::class, ': ', $e->getMessage(), "\n"; }
}
try { Sessions::read('a b'); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
var_dump(Sessions::read('a'));

echo "-- full\n";
try {
    for ($i = 0; $i < 1000; $i++) Sessions::write("s$i", str_repeat('x', 5000), 60, 'full');
} catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
var_dump($i > 100, Sessions::info()->evictions, Sessions::read('s0', 'full') === str_repeat('x', 5000), Sessions::read('a'));
try { Sessions::write('s0', str_repeat('y', 90000), 60, 'full'); } catch (Larder\StaticCacheException) {}
var_dump(Sessions::read('s0', 'full') === str_repeat('x', 5000));
--EXPECTF--
NULL
NULL
string(11) "number|i:1;"
NULL
string(11) "number|i:1;"
array(1) {
  ["number"]=>
  int(1)
}
-- paths
bool(true)
int(1)
bool(true)
bool(false)
NULL
string(11) "number|i:1;"
-- times
NULL
string(1) "x"
string(0) ""
-- wrong
ValueError: Larder\Sessions::write(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
ValueError: Larder\Sessions::write(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
ValueError: Larder\Sessions::write(): Argument #3 ($ttl) %s
ValueError: Larder\Sessions::write(): Argument #3 ($ttl) %s
ValueError: Larder\Sessions::write(): Argument #4 ($path) must not contain any null bytes
ValueError: Larder\Sessions::write(): Argument #4 ($path) must be at most %d bytes long
Larder\StaticCacheException: The session has 102401 bytes, more than larder.session_max_size = 102400. Its last stored content is still there
Larder\Sessions::read(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
string(11) "number|i:1;"
-- full
The store of sessions is full, and no session in it has expired: raise larder.session_size. Its last stored content is still there
bool(true)
int(0)
bool(true)
string(11) "number|i:1;"
bool(true)
