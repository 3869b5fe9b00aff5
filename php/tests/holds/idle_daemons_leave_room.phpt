--TEST--
larder: two idle daemons that have read many values leave a fresh process its holds
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
if (!function_exists('proc_open')) die('skip no processes'); ?>
--FILE--
<?php
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
$folder = sys_get_temp_dir() . '/larder-idle-' . getmypid();
mkdir($folder);
file_put_contents("$folder/run.php", '<?php ' . <<<'CODE'
use Larder\VolatileCache as Cache;
function read(int $from, int $count): string
{
    $lengths = 0;
    for ($i = $from; $i < $from + $count; $i++) {
        $value = Cache::get("key $i");
        $lengths += strlen($value['text']);
        if ($value['id'] !== $i) exit("key $i is wrong\n");
    }
    return $lengths === $count * 100000 ? 'right' : 'wrong';
}
if ($argv[1] === 'fill') {
    for ($i = 0; $i < 400; $i++) Cache::set("key $i", ['id' => $i, 'text' => str_repeat('x', 100000)]) || exit("key $i is not stored\n");
    exit('stored');
}
if ($argv[1] === 'daemon') {
    echo read((int) $argv[2], 160), "\n"; /* a daemon that never searches its memory would hold a quarter of the store for ever */
    fgets(STDIN);
    exit;
}
/* A new process keeps all values that it reads, so none of them can be released. */
$kept = [];
$before = Cache::info()->copies;
for ($i = 0; $i < 140; $i++) $kept[$i] = Cache::get("key $i");
foreach ($kept as $i => $value) if ($value['id'] !== $i || strlen($value['text']) !== 100000) exit("key $i is wrong\n");
echo Cache::info()->copies - $before, " copies in 140 reads\n";
CODE);
$run = fn(string ...$arguments) => [PHP_BINARY, '-n', '-d', 'larder.enable_cli=1', '-d', 'larder.volatile_size=64M', '-d', "larder.path=$folder", '-d', 'larder.scope=idle', '-d', 'extension=' . $m[1], "$folder/run.php", ...$arguments];
$shell = fn(string ...$arguments) => shell_exec(implode(' ', array_map(escapeshellarg(...), $run(...$arguments))) . ' 2>&1');
echo $shell('fill'), "\n", $shell('fresh');
$daemons = [];
foreach ([0, 200] as $from) {
    $daemons[] = $process = proc_open($run('daemon', (string) $from), [['pipe', 'r'], ['pipe', 'w']], $pipes[$from]);
    echo 'a daemon: ', fgets($pipes[$from][1]);
}
echo $shell('fresh');
foreach ($pipes as [$in]) fclose($in);
array_map(proc_close(...), $daemons);
?>
--CLEAN--
<?php foreach (glob(sys_get_temp_dir() . '/larder-idle-*') as $folder) exec('rm -r ' . escapeshellarg($folder));
--EXPECT--
stored
0 copies in 140 reads
a daemon: right
a daemon: right
0 copies in 140 reads
