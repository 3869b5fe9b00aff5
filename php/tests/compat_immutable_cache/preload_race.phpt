--TEST--
larder: immutable_cache: processes that come first at once wait for the one that loads, also when that one is killed
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
if (trim((string) shell_exec(escapeshellarg(PHP_BINARY) . ' -n -r "echo (int) function_exists(\'pcntl_fork\');"')) !== '1') die('skip pcntl is not built in');
?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$folder = sys_get_temp_dir() . '/larder-preload-' . getmypid(); mkdir($folder);
register_shutdown_function(function () use ($folder) { array_map('unlink', glob("$folder/*")); rmdir($folder); });
file_put_contents("$folder/a.data", serialize(['first']));
file_put_contents("$folder/b.data", 'O:4:"Slow":0:{}');
file_put_contents("$folder/c.data", serialize(['last']));
file_put_contents("$folder/race.php", <<<'PHP'
<?php
spl_autoload_register(function ($name) {
    file_put_contents(__DIR__ . '/loads', 'x', FILE_APPEND);
    usleep(100000);
    if (getenv('KILL') && filesize(__DIR__ . '/loads') < 3) exec('kill -9 ' . getmypid());
    eval("class $name {}");
});
for ($i = 0; $i < 8; $i++)
    if (pcntl_fork() === 0) { echo count(immutable_cache_fetch(['a', 'b', 'c'])) === 3 ? "all\n" : "too few\n"; exit; }
while (pcntl_wait($status) > 0);
PHP);
foreach (['', 'KILL=1'] as $kill) {
    @unlink("$folder/loads");
    $php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY);
    exec("$kill $php -n -d extension=$so -d larder.compat=immutable_cache -d immutable_cache.preload_path=$folder $folder/race.php 2>&1", $out);
    print_r(array_count_values($out)); $out = [];
}
--EXPECT--
Array
(
    [all] => 8
)
Array
(
    [all] => 6
)
