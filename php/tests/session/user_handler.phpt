--TEST--
larder: session: a handler of the user that wraps SessionHandler, also one that changes ids and data
--EXTENSIONS--
larder
session
--INI--
session.use_strict_mode=0
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.gc_probability=0
session.cache_limiter=
--FILE--
<?php
ob_start();
class Wrapped extends SessionHandler
{
    public array $calls = [];
    public function open($path, $name): bool { $this->calls[] = 'open'; return parent::open($path, $name); }
    public function close(): bool { $this->calls[] = 'close'; return parent::close(); }
    public function read($id): string|false { $this->calls[] = 'read'; return strrev(parent::read("wrapped-$id")); }
    public function write($id, $data): bool { $this->calls[] = 'write'; return parent::write("wrapped-$id", strrev($data)); }
    public function destroy($id): bool { $this->calls[] = 'destroy'; return parent::destroy("wrapped-$id"); }
    public function gc($seconds): int|false { $this->calls[] = 'gc'; return parent::gc($seconds); }
    public function create_sid(): string { $this->calls[] = 'create'; return parent::create_sid(); }
}
$handler = new Wrapped;
session_set_save_handler($handler, true);
session_id('one');
session_start();
$_SESSION['v'] = 'value';
session_write_close();
var_dump(Larder\Sessions::ids());
session_start();
var_dump($_SESSION, session_gc() >= 0);
session_regenerate_id(true);
var_dump(count(Larder\Sessions::ids()));
session_destroy();
var_dump(Larder\Sessions::ids());
/* With read_and_close, the session is not locked, so another process may have it open. */
session_id('one');
session_start(['read_and_close' => true]);
echo implode(' ', $handler->calls), "\n";

echo "-- used by itself\n";
$plain = new SessionHandler;
try { $plain->read('x'); } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECTF--
array(1) {
  [0]=>
  string(11) "wrapped-one"
}
array(1) {
  ["v"]=>
  string(5) "value"
}
bool(true)
int(%d)
array(0) {
}
open read write close open read gc destroy close open create read destroy close open read close
-- used by itself
Session is not active
