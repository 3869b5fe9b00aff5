--TEST--
larder: session: the module refers to nothing of ext/session, so it can be loaded without it
--EXTENSIONS--
larder
--SKIPIF--
<?php if (trim((string) shell_exec('command -v nm')) === '') die('skip needs nm'); ?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
exec('nm -D --undefined-only ' . escapeshellarg($so), $symbols, $status);
var_dump($status, count($symbols) > 50, array_values(preg_grep('/session|ps_globals|ps_mod/', $symbols)));
--EXPECT--
int(0)
bool(true)
array(0) {
}
