--TEST--
larder: pack: a damaged packed entry is a miss, is counted as one, and the checker finds it
--EXTENSIONS--
larder
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
function php(string $code): string
{
    global $so, $dir;
    $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
    exec("$php -n -d extension=$so -d larder.path=$dir -d larder.scope=s -d larder.volatile_size=2M -d larder.form=packed -r " . escapeshellarg("use Larder\\VolatileCache as V; $code") . ' 2>&1', $out);
    return implode("\n", $out) . "\n";
}

$dir = sys_get_temp_dir() . '/larder-test-' . getmypid(); mkdir($dir, 0700);
$violations = '$i = Larder\Inspector::open(glob("' . $dir . '/larder-*/s-volatile")[0]); echo json_encode($i->fsck()), "\n";';
echo php('V::set("good", ["x" => range(100, 150)]); V::set("bad", ["mark" => "MARKED 0123456789", "x" => range(200, 250)]); V::set("long", str_repeat("a long string ", 100)); var_dump(V::keyInfo("bad")->form);' . $violations);

// Find the mark in the file. The packed bytes contain it uncompressed.
$file = glob("$dir/larder-*/s-volatile")[0];
$handle = fopen($file, 'r+');
$found = false;
for ($at = 0; $found === false && !feof($handle); $at += 1 << 20) { // a part at a time: most of the file is a hole
    fseek($handle, $at);
    $found = strpos((string) stream_get_contents($handle, (1 << 20) + 64), 'MARKED 0123456789');
    if ($found !== false) { fseek($handle, $at + $found + 3); fwrite($handle, 'L'); }
}
fclose($handle);
var_dump($found !== false);
echo php('$misses = V::info()->misses; var_dump(V::get("bad"), V::get("bad", "default"), V::info()->misses - $misses, V::get("good") === ["x" => range(100, 150)], strlen(V::get("long")));' . $violations);
echo php('var_dump(V::set("bad", [1, 2, 3, str_repeat("x", 50)]), V::get("bad")[1]);' . $violations);
array_map('unlink', glob("$dir/larder-*/*")); array_map('rmdir', glob("$dir/larder-*")); rmdir($dir);
?>
--EXPECTF--
string(6) "packed"
[]
bool(true)
NULL
string(7) "default"
int(2)
bool(true)
int(1400)
["shard %d: slot %d has a packed value that is damaged"]
bool(true)
int(2)
[]
