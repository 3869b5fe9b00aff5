--TEST--
larder: pack: in made-up bytes two objects have the same array of undeclared properties, or one without names
--EXTENSIONS--
larder
--FILE--
<?php
/* A child stores two objects, changes the bytes of the second one in the file, and reads them. */
$folder = sys_get_temp_dir() . '/larder-test-' . getmypid();
mkdir($folder, 0700);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];

$code = <<<'CODE'
use Larder\VolatileCache as Cache;
require "$argv[1]/packed_bytes.php";
[, , $folder, $row] = $argv;
#[AllowDynamicProperties] class Declares { public $declared = 1; }
function declares(int $number): Declares {
    $object = new Declares;
    $object->number = $number;
    $object->text = 'a string of the first';
    return $object;
}
$key = 'the key of a graph';
Cache::set($key, [declares(7), declares(7)]) && Cache::keyInfo($key)->form === 'packed' || die('not packed');
$file = fopen(glob("$folder/larder-*/s-volatile")[0], 'r+');
$packed = packed_value($file, $key, Cache::keyInfo($key)->size);
$at = strpos($packed, "\x53\0\x07"); // LARDER_PACK_ROW of the first list of keys; then the values, 7 and a string
$bytes = substr_replace($packed, hex2bin($row), $at, 4);
$bytes = substr_replace($bytes, pack('V', strlen($bytes) - 16), 8, 4);
/* Overwrite a stored string with the packed value. */
$key = 'the key of a string';
Cache::set($key, str_repeat(random_bytes(16), intdiv(strlen($bytes), 16) + 2), form: 'ready');
$at = packed_block($file, $key);
fseek($file, $at + 20);
fwrite($file, pack('V', strlen($bytes)));
fseek($file, $at + 25);
fwrite($file, chr(250)); // LRD_TYPE_PACKED
$sum = hash('xxh3', substr($bytes, 8), true, ['seed' => unpack('V', $bytes)[1]]); // big-endian
fseek($file, $at + packed_start($key));
fwrite($file, substr_replace($bytes, strrev(substr($sum, 4)), 4, 4));
fflush($file);
$found = Cache::get($key);
if ($found === null) die('a miss');
$kept = [];
for ($i = 0; $i < 100; $i++) $kept[] = [$i => $i, 'text' => "$i"]; // these arrays take memory that was freed
$found[0]->number++;
$found[0]->more = 'more';
echo json_encode($found);
CODE;

$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
foreach (['the same' => '5600', 'a list' => '500207c0', 'a key is a number' => '54020107c002', 'unchanged' => '530007c3'] as $what => $row) {
    $command = [$php, '-n', '-d', "extension=$so", '-d', 'larder.enable_cli=1', '-d', "larder.path=$folder", '-d', 'larder.scope=s', '-d', 'larder.form=packed', '-d', 'larder.volatile_size=2M',
        '-r', $code, '--', __DIR__ . '/../include', $folder, $row];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
    $out = stream_get_contents($pipes[1]);
    echo "$what: status ", proc_close($process), ", $out\n";
    array_map('unlink', glob("$folder/larder-*/*"));
}
array_map('rmdir', glob("$folder/larder-*")); rmdir($folder);
?>
--EXPECT--
the same: status 0, [{"declared":1,"number":8,"text":"a string of the first","more":"more"},{"declared":1,"number":7,"text":"a string of the first"}]
a list: status 0, a miss
a key is a number: status 0, a miss
unchanged: status 0, [{"declared":1,"number":8,"text":"a string of the first","more":"more"},{"declared":1,"number":7,"text":"a string of the first"}]
