--TEST--
larder: ops: a named store keeps its size and content where another process has another size in its php.ini
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$stores = ops_folder();
$cli = fn (string $settings, string $code) => preg_replace('~/\S+/larder-\d+/~', '', ops_php("-d error_log= -d larder.path=$stores -d larder.scope=app $settings", $code));
$size = 'echo V::info()->configured_memory >> 20, "M ", V::get("k"), "\n";';

echo "-- in use, by a server that has another size\n";
$server = $cli('-d larder.volatile_size=16M', 'V::set("k", "kept"); ' . $size);
echo $server;
$holder = proc_open([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', 'extension=' . fpm_module('larder.so'), '-d', "larder.path=$stores", '-d', 'larder.scope=app', '-d', 'larder.volatile_size=16M', '-r', 'Larder\VolatileCache::get("k"); echo "up\n"; fgets(STDIN);'], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
fgets($pipes[1]);
echo $cli('', $size);
echo $cli('-d larder.volatile_size=32M', $size);
fwrite($pipes[0], "\n");
proc_close($holder);

echo "-- left: the command line does not make it anew\n";
echo $cli('', $size);
echo $cli('-d larder.volatile_size=32M', $size);
echo $cli('-d larder.volatile_size=16384K', $size);

echo "-- left: a server whose php.ini says a size does, one whose does not keeps it\n";
ops_php("-d larder.path=$stores -d larder.scope=other -d larder.volatile_size=16M", 'V::set("k", "lost");');
foreach (['app', 'other larder.volatile_size=24M'] as $settings) {
    echo server('use Larder\\VolatileCache as V; ' . $size, 0, "larder.path=$stores larder.scope=$settings")();
}
--EXPECT--
-- in use, by a server that has another size
16M kept
16M kept
Larder: the volatile store app-volatile has 16M, larder.volatile_size = 32M here (cli): it keeps its size while a process uses it; restart all that use it, or remove its file, or make larder.volatile_size equal
16M kept
-- left: the command line does not make it anew
16M kept
Larder: the volatile store app-volatile has 16M, larder.volatile_size = 32M here (cli): it keeps its size while a process uses it; restart all that use it, or remove its file, or make larder.volatile_size equal
16M kept
16M kept
-- left: a server whose php.ini says a size does, one whose does not keeps it
16M kept
24M 
