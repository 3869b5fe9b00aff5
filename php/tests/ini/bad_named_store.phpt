--TEST--
larder: ini: a named store that cannot be opened is off, with a reason
--EXTENSIONS--
larder
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
function php($settings, $code) { global $so; $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY; exec("$php -n -d extension=$so $settings -r " . escapeshellarg("use Larder\\VolatileCache as V; use Larder\\PinnedCache as P; $code") . ' 2>&1', $out); return implode("\n", $out) . "\n"; }

echo php('-d larder.path=/nonexistent/folder -d error_log=/dev/null', 'var_dump(V::set("a", 1), V::get("a", "d"), P::info()->failure_reason);');
--EXPECTF--
bool(false)
string(1) "d"
string(%d) "/nonexistent/folder/larder-%d cannot be made: No such file or directory; set larder.path to a folder that this user may write to"
