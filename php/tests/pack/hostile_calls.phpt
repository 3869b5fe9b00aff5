--TEST--
larder: pack: made-up bytes that call the hook of an object twice are a miss
--EXTENSIONS--
larder
--FILE--
<?php
/* A child stores an object, changes its bytes in the file, and reads it. */
$folder = sys_get_temp_dir() . '/larder-test-' . getmypid();
mkdir($folder, 0700);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];

$code = <<<'CODE'
use Larder\VolatileCache as Cache;
require "$argv[1]/packed_bytes.php";
[, , $folder, $calls] = $argv;
final class Told {
    public function __construct(public ?array $told) {}
    public function __serialize(): array { return $this->told; }
    public function __unserialize(array $data): void { $this->told = $data; echo 'called, '; }
}
$key = 'the key of a graph';
$object = new stdClass;
$object->text = 'a string of the object';
Cache::set($key, new Told(['object' => $object, 'number' => 7])) && Cache::keyInfo($key)->form === 'packed' || die('not packed');
$file = fopen(glob("$folder/larder-*/s-volatile")[0], 'r+');
$bytes = packed_value($file, $key, Cache::keyInfo($key)->size);
$head = array_map(ord(...), str_split(substr($bytes, 16, 3))); // number of classes, nodes and calls
if ($head[2] !== 1) die('not one call');
$bytes[18] = chr((int) $calls);
$bytes .= str_repeat("\0", $calls - 1); // each byte is one more call of the same node
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
echo $found === null ? 'a miss' : json_encode($found);
CODE;

$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
foreach ([1, 2] as $calls) {
    $command = [$php, '-n', '-d', "extension=$so", '-d', 'larder.enable_cli=1', '-d', "larder.path=$folder", '-d', 'larder.scope=s', '-d', 'larder.form=packed', '-d', 'larder.volatile_size=2M',
        '-r', $code, '--', __DIR__ . '/../include', $folder, (string) $calls];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
    $out = stream_get_contents($pipes[1]);
    echo "calls $calls: status ", proc_close($process), ", $out\n";
    array_map('unlink', glob("$folder/larder-*/*"));
}
array_map('rmdir', glob("$folder/larder-*")); rmdir($folder);
?>
--EXPECT--
calls 1: status 0, called, {"told":{"object":{"text":"a string of the object"},"number":7}}
calls 2: status 0, a miss
