--TEST--
larder: ini: a named store is shared by unrelated processes and outlives them
--EXTENSIONS--
larder
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
function php($settings, $code) { global $so; $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY; exec("$php -n -d extension=$so $settings -r " . escapeshellarg("use Larder\\VolatileCache as V; use Larder\\PinnedCache as P; $code") . ' 2>&1', $out); return implode("\n", $out) . "\n"; }

$dir = sys_get_temp_dir() . '/larder-test-' . getmypid(); mkdir($dir, 0700);
$s = "-d larder.path=$dir -d larder.scope=blue -d larder.volatile_size=2M -d larder.pinned_size=2M";
echo php($s, 'var_dump(V::set("a", ["x" => [1, 2], "s" => str_repeat("s", 500)]), P::set("p", 7));');
echo php($s, 'var_dump(V::get("a")["x"], strlen(V::get("a")["s"]), P::get("p"), basename(V::info()->shared_model));');
echo php(str_replace('blue', 'red', $s), 'var_dump(V::get("a"), P::get("p"));');
echo php("-d larder.volatile_size=2M", 'var_dump(V::get("a"));');
$files = array_map('basename', glob("$dir/larder-*/*-volatile")); sort($files); echo implode(' ', $files), "\n";
foreach (glob("$dir/larder-*/*-volatile") as $f) printf("%o\n", fileperms($f) & 0777);
array_map('unlink', glob("$dir/larder-*/*")); array_map('rmdir', glob("$dir/larder-*")); rmdir($dir);
--EXPECTF--
bool(true)
bool(true)
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
int(500)
int(7)
string(13) "blue-volatile"
NULL
NULL
NULL
blue-volatile red-volatile
600
600
