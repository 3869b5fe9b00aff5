--TEST--
larder: ini: without a size in php.ini, a named store opens at its present size, with opcache, too
--EXTENSIONS--
larder
--SKIPIF--
<?php
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
if (trim((string) shell_exec("$php -n -d zend_extension=opcache -r 'echo function_exists(\"opcache_get_status\") ? \"yes\" : \"\";' 2>&1")) !== 'yes') die('skip no opcache');
?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$dir = sys_get_temp_dir() . '/larder-unsaid-' . getmypid();
mkdir($dir, 0700);
$php = (getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . " -n -d extension=$so -d larder.path=$dir -d display_errors=stderr -d log_errors=0";
$run = fn (string $options, string $code) => trim((string) shell_exec("$php $options -r '$code' 2>&1")) . "\n";

echo $run('-d larder.volatile_size=2M', 'var_dump(Larder\VolatileCache::set("a", 1));');
echo $run('-d zend_extension=opcache -d opcache.enable=1 -d opcache.enable_cli=1', 'var_dump(Larder\VolatileCache::get("a"), Larder\VolatileCache::info()->configured_memory >> 20);');
/* A server must also open the existing store, instead of a new store with the default size. */
file_put_contents("$dir/index.php", '<?php echo json_encode(Larder\VolatileCache::get("a"));');
$server = proc_open("exec $php -d zend_extension=opcache -d opcache.enable=1 -S 127.0.0.1:0 -t $dir", [2 => ['pipe', 'w']], $pipes);
while (($line = fgets($pipes[2])) !== false && !preg_match('~http://([0-9.:]+)\)~', $line, $m));
echo file_get_contents("http://$m[1]/index.php"), "\n";
proc_terminate($server);
proc_close($server);
unlink("$dir/index.php");
array_map('unlink', glob("$dir/larder-*/*")); array_map('rmdir', glob("$dir/larder-*")); rmdir($dir);
?>
--EXPECT--
bool(true)
int(1)
int(2)
1
