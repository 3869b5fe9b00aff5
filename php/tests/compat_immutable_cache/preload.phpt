--TEST--
larder: immutable_cache: a folder of serialized values is loaded before the first use
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
function php($settings, $code) { global $so; $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY; exec("$php -n -d html_errors=0 -d extension=$so -d larder.compat=immutable_cache $settings -r " . escapeshellarg($code) . ' 2>&1', $out); return implode("\n", $out) . "\n"; }

$folder = sys_get_temp_dir() . '/larder-preload-' . getmypid(); mkdir($folder);
register_shutdown_function(function () use ($folder) { array_map('unlink', [...glob("$folder/*"), ...glob("$folder/.[!.]*")]); @rmdir($folder); });

file_put_contents("$folder/config.data", serialize(['debug' => false, 'hosts' => ['a', 'b']]));
file_put_contents("$folder/with.dots.data", serialize('dots') . "\n");
file_put_contents("$folder/ignored.txt", serialize('no'));
file_put_contents("$folder/object.data", serialize(new ArrayObject([1, 2])));
file_put_contents("$folder/.data", serialize('no key'));
file_put_contents("$folder/false.data", serialize(false));
$log = "$folder/log.txt";
$use = "-d immutable_cache.preload_path=$folder -d error_log=$log";
echo php($use, 'var_dump(immutable_cache_fetch("config"), immutable_cache_fetch("with.dots"), immutable_cache_exists(["ignored", "", "false", "none"]), count(immutable_cache_fetch("object")), immutable_cache_cache_info(true)["num_entries"]);');
var_dump(file_exists($log));
echo "first used by another function, after phpinfo()\n";
foreach (['immutable_cache_exists("config")', 'immutable_cache_add("config", 1)', '(new ImmutableCacheIterator)->getTotalCount()', 'immutable_cache_key_info("config") !== null'] as $call)
    echo php($use, "ob_start(); phpinfo(INFO_MODULES); ob_end_clean(); var_dump($call);");
echo "what is wrong is logged\n";
file_put_contents("$folder/bad1.data", 'a:1:{i:0;');
file_put_contents("$folder/bad2.data", serialize(1) . 'more');
file_put_contents("$folder/bad3.data", '');
mkdir("$folder/bad4.data");
file_put_contents("$folder/bad5.data", 'O:8:"DateTime":0:{}');
file_put_contents("$folder/large.data", serialize(str_repeat('l', 800000)));
echo php("$use -d immutable_cache.shm_size=1M", 'var_dump(immutable_cache_exists(["bad1", "bad2", "bad3", "bad4", "bad5", "large", "config"]));');
echo preg_replace(['/^\[.*?\] /m', '~' . preg_quote($folder) . '~'], ['', 'FOLDER'], file_get_contents($log));
unlink($log); rmdir("$folder/bad4.data");
echo php("-d immutable_cache.preload_path=$folder/none -d error_log=$log", 'var_dump(immutable_cache_fetch("config"), immutable_cache_add("config", 1));');
echo preg_replace(['/^\[.*?\] /m', '~' . preg_quote($folder) . '~'], ['', 'FOLDER'], file_get_contents($log));
--EXPECTF--
array(2) {
  ["debug"]=>
  bool(false)
  ["hosts"]=>
  array(2) {
    [0]=>
    string(1) "a"
    [1]=>
    string(1) "b"
  }
}
string(4) "dots"
array(1) {
  ["false"]=>
  bool(true)
}
int(2)
int(4)
bool(false)
first used by another function, after phpinfo()
bool(true)
bool(false)
int(4)
bool(true)
what is wrong is logged
array(2) {
  ["bad5"]=>
  bool(true)
  ["config"]=>
  bool(true)
}
Larder: immutable_cache.preload_path: FOLDER/bad1.data: not the text of one serialized value (wrong at byte %d of 9)
Larder: immutable_cache.preload_path: FOLDER/bad2.data: not the text of one serialized value (wrong at byte 4 of 8)
Larder: immutable_cache.preload_path: FOLDER/bad3.data: not the text of one serialized value (wrong at byte 0 of 0)
Larder: immutable_cache.preload_path: FOLDER/bad4.data: not a file that can be read
Larder: immutable_cache.preload_path: FOLDER/large.data: not stored: the value is larger than half of the store
bool(false)
bool(true)
Larder: immutable_cache.preload_path: FOLDER/none: No such file or directory
