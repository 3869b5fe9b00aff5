--TEST--
larder: lifetime: while opcache preloads, gets miss and writes fail; afterwards all works
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('posix')) die('skip needs posix');
require __DIR__ . '/../include/opcache.php';
if (opcache_load() === null) die('skip needs opcache');
?>
--FILE--
<?php
require __DIR__ . '/../include/opcache.php';
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$opcache = implode(' ', opcache_options(opcache_load()));
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$file = tempnam(sys_get_temp_dir(), 'larder');
file_put_contents($file, '<?php use Larder\VolatileCache as V; class Preloaded { static $v; const C = [1]; } var_dump(V::set("k", 1), V::get("k", "d"));');
$user = posix_getpwuid(posix_geteuid())['name'];
exec("$php -n -d extension=$so $opcache -d opcache.enable_cli=1 -d opcache.preload=$file -d opcache.preload_user=$user -r 'use Larder\\VolatileCache as V; var_dump(V::set(\"k\", Preloaded::C), V::get(\"k\"));' 2>&1", $out);
echo implode("\n", $out), "\n";
unlink($file);
--EXPECT--
bool(false)
string(1) "d"
bool(true)
array(1) {
  [0]=>
  int(1)
}
