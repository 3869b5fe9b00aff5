--TEST--
larder: pack: made-up bytes of a packed graph with a right sum are a miss or some value, and reach no other memory
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--INI--
memory_limit=1G
error_reporting=E_ALL & ~E_DEPRECATED & ~E_WARNING & ~E_NOTICE
date.timezone=UTC
larder.form=packed
--FILE--
<?php
/* LARDER_GRAPHS: number of graphs; LARDER_CHANGES: number of changed copies of each; LARDER_SEED: the seed of the first graph. A child
 * reads the changed entries, and must not crash. `make test-php-asan` and valgrind notice more. */
use Larder\Inspector;

require __DIR__ . '/../include/random_graph.php';

$folder = sys_get_temp_dir() . '/larder-test-' . getmypid();
mkdir($folder, 0700);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];

/* A child stores a graph, changes its bytes in the file, and reads it. */
$code = <<<'CODE'
use Larder\VolatileCache as Cache;
require "$argv[1]/random_graph.php";
require "$argv[1]/packed_bytes.php";
[, , $folder, $seed, $changes] = $argv;
graph_load_classes(false);
mt_srand((int) $seed);
$plan = array_map(fn() => mt_rand(), range(1, 16 * $changes)); // draw these numbers before RandomGraph seeds the generator again
$value = RandomGraph::make((int) $seed, $keep);
$key = "the key of graph $seed";
if (!Cache::set($key, $value) || Cache::keyInfo($key)->form !== 'packed') die('none');
$path = glob("$folder/larder-*/s-volatile")[0];
$file = fopen($path, 'r+');
$packed = packed_value($file, $key, Cache::keyInfo($key)->size);
/* Overwrite a stored string with the packed value, uncompressed. */
$key = "the key of a string $seed";
Cache::set($key, str_repeat(random_bytes(16), intdiv(strlen($packed), 16) + 2), form: 'ready');
$at = packed_block($file, $key);
fseek($file, $at + 20);
fwrite($file, pack('V', strlen($packed)));
fseek($file, $at + 25);
fwrite($file, chr(250)); // LRD_TYPE_PACKED
$at += packed_start($key);
$write = function (string $bytes) use ($file, $at): void {
    $sum = hash('xxh3', substr($bytes, 8), true, ['seed' => unpack('V', $bytes)[1]]); // big-endian
    fseek($file, $at);
    fwrite($file, substr_replace($bytes, strrev(substr($sum, 4)), 4, 4));
    fflush($file);
};
$write($packed);
Cache::get($key) !== null || die('its sum is wrong');
$read = $missed = 0;
for ($i = 0; $i < $changes; $i++) {
    $bytes = $packed;
    for ($j = 0, $count = 1 + $plan[16 * $i] % 3; $j < $count; $j++) {
        $place = 16 + $plan[16 * $i + 1 + $j] % (strlen($packed) - 16);
        $to = $plan[16 * $i + 5 + $j];
        if ($to % 64 === 0) $bytes = substr_replace($bytes, pack('V', strlen($packed) * (1 + $to % 200)), 12, 4); // the size of its block
        $bytes[$place] = chr(match ($to % 4) { 0 => ord($bytes[$place]) ^ 1 << $to / 4 % 8, 1 => ord($bytes[$place]) + 1 & 255, 2 => ord($packed[16 + $to / 4 % (strlen($packed) - 16)]), 3 => $to / 4 % 256 });
    }
    $write($bytes);
    try { $got = Cache::get($key); @serialize($got); } catch (Throwable) { $got = null; }
    isset($got) ? $read++ : $missed++;
    try { unset($got); } catch (Throwable) {} // a destructor may throw
    gc_collect_cycles();
}
echo $read + $missed === (int) $changes ? 'good' : 'bad';
CODE;

$answers = [];
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$changes = (int) (getenv('LARDER_CHANGES') ?: 300);
for ($first = (int) (getenv('LARDER_SEED') ?: 1), $seed = $first; $seed < $first + (int) (getenv('LARDER_GRAPHS') ?: 30); $seed++) {
    $command = [$php, '-n', '-d', "extension=$so", '-d', 'larder.enable_cli=1', '-d', "larder.path=$folder", '-d', 'larder.scope=s', '-d', 'larder.form=packed', '-d', 'larder.volatile_size=2M', '-d', 'memory_limit=256M', '-d', 'date.timezone=UTC', '-d', 'error_reporting=0',
        '-r', $code, '--', __DIR__ . '/../include', $folder, (string) $seed, (string) $changes];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
    $out = stream_get_contents($pipes[1]); $errors = stream_get_contents($pipes[2]);
    $status = proc_close($process);
    $answer = strtok(trim($out) . "\n", "\n") ?: '';
    $answers[$answer] = ($answers[$answer] ?? 0) + 1;
    if ($status !== 0 && !str_contains($out, 'Allowed memory') || !in_array($answer, ['good', 'none'], true)) echo "seed $seed: status $status, $answer $errors\n";
    array_map('unlink', glob("$folder/larder-*/*"));
}
array_map('rmdir', glob("$folder/larder-*")); rmdir($folder);
var_dump(($answers['good'] ?? 0) > 20);
?>
--EXPECT--
bool(true)
