--TEST--
larder: session: with larder.compat = memsession its save handler has that name, too
--EXTENSIONS--
larder
session
--INI--
session.use_strict_mode=0
larder.compat=memsession
session.save_handler=memsession
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
ob_start();
var_dump(extension_loaded('memsession'), session_module_name());
session_id('s');
session_start();
$_SESSION['v'] = 1;
session_write_close();
session_module_name('larder'); /* this handler finds the session that memsession has stored */
session_start();
var_dump($_SESSION, Larder\Sessions::ids());
--EXPECT--
bool(true)
string(10) "memsession"
array(1) {
  ["v"]=>
  int(1)
}
array(1) {
  [0]=>
  string(1) "s"
}
