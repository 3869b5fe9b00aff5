--TEST--
larder: immutable_cache: one process loads, and runs no code of classes; past memory_limit others go on
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
register_shutdown_function(function () use ($folder) { exec('rm -rf ' . escapeshellarg($folder)); });

file_put_contents("$folder/a.data", serialize(range(1, 1000)));
file_put_contents("$folder/b.data", 'O:5:"Later":0:{}');
$use = "-d immutable_cache.preload_path=$folder -d error_log=$folder/log -d larder.path=$folder -d larder.scope=once";
echo php($use, 'spl_autoload_register(function ($name) { echo "autoload $name: "; var_dump(immutable_cache_fetch("a") === range(1, 1000), immutable_cache_add("own", 1)); eval("class $name { public function __wakeup() { echo \"awake\n\"; } }"); }); var_dump(immutable_cache_exists(["a", "b", "own"])); var_dump(immutable_cache_fetch("b") instanceof Later);');
echo "a second process of the same store\n";
file_put_contents("$folder/c.data", serialize('too late'));
echo php($use, 'var_dump(immutable_cache_exists(["a", "b", "c"]), ini_get("larder.scope"));');
echo "memory_limit\n";
file_put_contents("$folder/z.data", serialize(str_repeat('z', 9 << 20)));
$use = "-d immutable_cache.preload_path=$folder -d error_log=$folder/log -d larder.path=$folder -d larder.scope=limit -d memory_limit=8M -d display_errors=0";
echo php($use, 'class Later {} register_shutdown_function(function () { var_dump(immutable_cache_exists("a"), immutable_cache_add("k", 1)); }); echo "start "; immutable_cache_exists("a"); echo "not reached";');
echo php("$use -d memory_limit=64M", 'class Later {} var_dump(strlen(immutable_cache_fetch("z")), immutable_cache_exists("c"));');
--EXPECT--
autoload Later: bool(true)
bool(true)
awake
array(3) {
  ["a"]=>
  bool(true)
  ["b"]=>
  bool(true)
  ["own"]=>
  bool(true)
}
awake
bool(true)
a second process of the same store
array(1) {
  ["a"]=>
  bool(true)
}
string(4) "once"
memory_limit
start bool(true)
bool(true)
int(9437184)
bool(true)
