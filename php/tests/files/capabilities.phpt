--TEST--
larder: files: root without its capabilities gets no file that only those let it read
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('VALGRIND_OPTS')) die('skip valgrind does not run what setpriv executes');
if (!function_exists('posix_geteuid') || posix_geteuid() !== 0) die('skip needs root');
if (!posix_getpwnam('www-data')) die('skip needs the user www-data');
exec('setpriv --bounding-set -all --inh-caps -all true 2>&1', $out, $code);
if ($code !== 0) die('skip needs setpriv, which may take capabilities away');
?>
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
$file = "$folder/secret";
mkdir("$folder/store", 0700);
chmod($folder, 0755);
file_put_contents($file, 'of www-data');
chown($file, posix_getpwnam('www-data')['uid']);
chmod($file, 0600);
file_put_contents("$folder/code.php", '<?php require $argv[1]; if ($argv[3] === "keep") keep($argv[2]); same($argv[3], $argv[2]);');
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
/* Both processes use one store. With revalidate=-1, the cache never checks the file again. */
$run = fn (string $before, string $how): string => (string) shell_exec("$before $php -n -d extension=$so -d larder.path=$folder/store -d larder.file_cache=1"
    . " -d larder.file_cache_revalidate=-1 $folder/code.php " . __DIR__ . "/../include/files.php $file '$how' 2>&1");
echo $run('', 'keep');
echo $run('setpriv --bounding-set -all --inh-caps -all', 'without capabilities');
echo $run('', 'with them');
--EXPECT--
keep: "of www-data"
without capabilities: Permission denied
with them: "of www-data"
