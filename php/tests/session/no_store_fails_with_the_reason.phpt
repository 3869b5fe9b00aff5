--TEST--
larder: session: where the store of sessions is off, session_start() fails and says why
--EXTENSIONS--
larder
session
--INI--
session.save_handler=larder
session.save_path=
session.use_cookies=0
session.cache_limiter=
larder.session_size=0
--FILE--
<?php
var_dump(session_start(), Larder\Sessions::count(), Larder\Sessions::ids(), Larder\Sessions::destroy('x'), Larder\Sessions::info()->available);
foreach ([fn() => Larder\Sessions::read('x'), fn() => Larder\Sessions::write('x', 'y', 1)] as $call) {
    try { $call(); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
}
--EXPECTF--
Warning: session_start(): The store of sessions is off: larder.session_size is 0 in %s on line %d

Warning: session_start(): Failed to initialize storage module: larder (path: ) in %s on line %d
bool(false)
int(0)
array(0) {
}
bool(false)
bool(false)
The store of sessions is off: larder.session_size is 0
The store of sessions is off: larder.session_size is 0
