--TEST--
larder: take: a string whose length is damaged is a miss, and its entry is gone
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$settings = "-d larder.path=$folder -d larder.scope=d -d larder.volatile_size=2M";
ops_php($settings, 'foreach (["a", "b", "c", "good"] as $key) V::set($key, "TEXT-$key-" . str_repeat("x", 100));');
$path = glob("$folder/*/d-volatile")[0];
$file = fopen($path, 'r+');
fseek($file, $from = filesize($path) - (3 << 20)); // the values are in the last 3 MB of the file
$all = stream_get_contents($file);
foreach (['a' => 120, 'b' => 400000, 'c' => -1] as $key => $length) { // the real length of each string is 107
    $at = strpos($all, "TEXT-$key-") - 8;
    fseek($file, $from + $at);
    var_dump(unpack('P', $all, $at)[1]);
    fwrite($file, pack('P', $length));
}
fclose($file);
echo ops_php($settings, 'foreach (["a", "b", "c", "good"] as $key) { $taken = V::take($key, "default"); var_dump($taken === "default" ? $taken : strlen($taken), V::has($key)); }');
?>
--EXPECT--
int(107)
int(107)
int(107)
string(7) "default"
bool(false)
string(7) "default"
bool(false)
string(7) "default"
bool(false)
int(110)
bool(false)
