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
for ($i = 100; $i < 400; $i++) file_put_contents("$folder/$i.data", serialize(array_fill(0, 200, "value $i of many")));
file_put_contents("$folder/race.php", <<<'PHP'
<?php
$children = [];
for ($i = 0; $i < 6; $i++) {
    if (($pid = pcntl_fork()) === 0) {
        $keys = array_map('strval', range(100, 399));
        $got = immutable_cache_fetch($keys);
        file_put_contents(__DIR__ . "/result$i", count($got) === 300 && $got[399] === array_fill(0, 200, 'value 399 of many') ? 'all' : 'too few');
        exit;
    }
    $children[$i] = $pid;
}
/* Kill the first two children: usually, one of them loads the files. */
usleep((int) $argv[1]);
if ($argv[2]) foreach ([0, 1] as $i) exec("kill -9 $children[$i]");
while (pcntl_wait($status) > 0);
for ($i = $argv[2] ? 2 : 0; $i < 6; $i++) echo file_get_contents(__DIR__ . "/result$i"), "\n";
PHP);
foreach ([[0, 0], [0, 1], [2000, 1], [5000, 1], [10000, 1], [15000, 1], [20000, 1], [30000, 1]] as [$wait, $kill]) {
    array_map('unlink', glob("$folder/result*"));
    $php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY);
    exec("$php -n -d extension=$so -d larder.compat=immutable_cache -d immutable_cache.preload_path=$folder $folder/race.php $wait $kill 2>&1", $out);
    echo json_encode(array_count_values($out)), "\n"; $out = [];
}
--EXPECT--
{"all":6}
{"all":4}
{"all":4}
{"all":4}
{"all":4}
{"all":4}
{"all":4}
{"all":4}
