--TEST--
larder: compat_apcu: apc.preload_path skips folders and pipes that are named like data, and says so
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!extension_loaded('posix')) die('skip needs posix');
?>
--FILE--
<?php
$folder = sys_get_temp_dir() . '/larder_' . getmypid();
register_shutdown_function(function () use ($folder) {
    foreach (['pipe.data', 'symlink.data', 'zoo.data'] as $file) @unlink("$folder/$file");
    rmdir("$folder/folder.data");
    rmdir($folder);
});
mkdir($folder);
mkdir("$folder/folder.data");
posix_mkfifo("$folder/pipe.data", 0600);
symlink('nowhere', "$folder/symlink.data");
file_put_contents("$folder/zoo.data", 'i:5;');
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d extension=' . escapeshellarg($so) . ' -d larder.compat=apcu -d apc.preload_path=' . escapeshellarg($folder);
echo str_replace($folder, 'FOLDER', shell_exec("timeout 20 $php -r 'var_dump(apcu_fetch(\"zoo\"), apcu_cache_info(true)[\"num_entries\"]);' 2>&1"));
--EXPECT--
Larder: apc.preload_path: FOLDER/folder.data not a file that can be read
Larder: apc.preload_path: FOLDER/pipe.data not a file that can be read
Larder: apc.preload_path: FOLDER/symlink.data not a file that can be read
int(5)
int(1)
