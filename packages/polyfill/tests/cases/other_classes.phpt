--TEST--
polyfill: sessions, files, the inspector, scope() and attributes
--INI--
session.save_path=/here
--FILE--
<?php
use Larder\{FileCache, Inspector, PinnedCache, PinnedStatic, Sessions, StaticCacheException, VolatileCache, VolatileStatic};

Sessions::write('abc', 'text', 60);
Sessions::write('brief', 'text', 0.01);
Sessions::write('other', 'text', 0, '/there');
usleep(20000);
var_dump(Sessions::read('abc'), Sessions::read('brief'), Sessions::ids(), Sessions::count(), Sessions::read('other'), Sessions::read('other', '/there'));
var_dump(Sessions::destroy('abc'), Sessions::destroy('abc'), Sessions::info()->available);
foreach ([fn() => Sessions::read('a/b'), fn() => Sessions::write('x', str_repeat('x', 2 << 20), 0)] as $bad)
    try { $bad(); } catch (ValueError|StaticCacheException $e) { echo $e->getMessage(), "\n"; }
var_dump(FileCache::invalidate(__FILE__), FileCache::info()->enabled);

VolatileCache::set('user.1', 'x', 60);
VolatileCache::set('user.2', [1]);
VolatileCache::pool('p')->set('k', 1);
$inspector = Inspector::own('volatile');
foreach ($inspector->entries('', 'key') as $entry) echo json_encode([$entry['key'], $entry['pool'], $entry['type'], $entry['size'] > 0]), "\n";
var_dump($inspector->keys('', 0, null, true), $inspector->totals()['p']['entries'], $inspector->value('user.1', $found), $found, $inspector->stats()['entries']);
var_dump($inspector->delete('user.1'), $inspector->clear('user.'), $inspector->fsck(), count($inspector->threads()), VolatileCache::keys());
foreach ([fn() => Inspector::own('apcu'), fn() => Inspector::own('no'), fn() => Inspector::open('/x'), fn() => Inspector::own('queue')->keys()] as $bad)
    try { $bad(); } catch (ValueError|StaticCacheException $e) { echo $e->getMessage(), "\n"; }

final class Counts { #[VolatileStatic(ttl: 5)] public static int $n = 0; #[PinnedStatic] public static int $m = 0; }
Counts::$n++;
var_dump((new ReflectionProperty(Counts::class, 'n'))->getAttributes()[0]->newInstance()->ttl, PinnedCache::info()->entry_count);
var_dump(Larder\scope(fn() => 'returned'));
--EXPECT--
string(4) "text"
NULL
array(1) {
  [0]=>
  string(3) "abc"
}
int(1)
NULL
string(4) "text"
bool(true)
bool(false)
bool(true)
Larder\Sessions::read(): Argument #1 ($id) must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","
The session has 2097152 bytes, more than larder.session_max_size = 1048576. Its last stored content is still there
bool(false)
bool(false)
["k","p","int",true]
["user.1",null,"string",true]
["user.2",null,"array",true]
array(3) {
  [0]=>
  string(6) "user.1"
  [1]=>
  string(6) "user.2"
  [2]=>
  string(3) "p/k"
}
int(1)
string(1) "x"
bool(true)
int(3)
bool(true)
int(1)
array(0) {
}
int(1)
array(0) {
}
the apcu store is off: it needs the extension
Larder\Inspector::own(): Argument #1 ($store) must be "volatile", "pinned", "immutable", "apcu", "session" or "queue"
/x: a store in a file needs the extension larder
the store has queues, not entries: ask Larder\Queue
int(5)
int(0)
string(8) "returned"
