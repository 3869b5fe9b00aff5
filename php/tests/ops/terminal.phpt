--TEST--
larder: ops: no value, name or message of others is a command to the terminal: larder get, stats, top, queues, ping, and the error log
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip needs pcntl'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$settings = "-d larder.path=$folder -d larder.scope=t -d larder.volatile_size=2M";
ops_php($settings, 'V::set("text", "a\tb\nred \e[31m \x9b \u{9b}2J \u{202e}back \\\\ \x07"); V::set("list", ["\e]0;title\x07" => "x\ry"]);');
echo "-- get\n", ops_larder('get', 'text', '--scope', 't', '--folder', $folder), ops_larder('get', 'list', '--scope', 't', '--folder', $folder);
echo bin2hex(ops_larder('get', 'text', '--raw', '--scope', 't', '--folder', $folder)), "\n";
echo ops_larder('get', 'text', '--raw', '--json', '--scope', 't', '--folder', $folder);

echo "-- a pool that says what it likes\n";
$socket = "$folder/socket";
$record = fn (int $type, string $content) => implode('', array_map(fn ($part) => pack('CCnnCx', 1, $type, 1, strlen($part), 0) . $part, str_split($content, 60000)));
$of = fn (mixed $value) => $record(6, "X: y\r\n\r\nlarder-answer\n" . base64_encode(serialize($value))) . $record(3, str_repeat("\0", 8));
$numbers = array_fill_keys(['size', 'used', 'claimed', 'retired', 'held', 'entries', 'entry_limit', 'value_limit', 'hits', 'misses', 'inserts', 'replaces', 'deletes', 'evicted', 'expired', 'ghost_hits', 'refused', 'copies', 'deaths', 'recoveries', 'busy', 'threads', 'thread_limit', 'failures'], 1);
$store = ['name' => 'x', 'path' => "/p\e[2J\nforged line", 'policy' => 'volatile', 'abi' => "php\e[1m", 'readable' => true, 'evicted_age' => 1.0, 'uptime' => 1.0, 'refusal_causes' => ["cause\e[5m" => 1], 'copy_causes' => ["copy\e[5m" => 1]] + $numbers;
$stats = ['stores' => ["volatile\e[31m" => $store], 'off' => ["pinned\e[32m" => "why\e[33m"], 'php' => '8', 'sapi' => 'x', 'pool' => '', 'larder' => '0', 'time' => 1.0];
foreach ([
    [$stats, 'stats'], [['stores' => ["v\e[0m" => ['readable' => false] + $store]] + $stats, 'stats'], [$stats, 'ping'],
    [['entries' => [['bytes' => 1, 'uses' => 2, 'age' => 1.0, 'ttl' => null, 'type' => "type\e[7m\nx", 'pool' => "pool\e[8m", 'key' => "key\e[9m"]]], 'top'],
    [['entries' => [['bytes' => 1, 'uses' => "2\e[7m", 'age' => 1.0, 'ttl' => null, 'type' => '', 'pool' => null, 'key' => '']]], 'top'],
    [['queues' => [['ready' => "1\e[1m", 'reserved' => 0, 'delayed' => 0, 'buried' => 0, 'bytes' => 1, 'name' => "queue\e[31m"]]], 'queues'],
    [['violations' => ["block\e[31m"]], 'fsck'],
    [['found' => true, 'text' => "\e[31mred\n"], 'get', 'k'],
] as [$answer, $word]) {
    $server = stream_socket_server("unix://$socket");
    if (($child = pcntl_fork()) === 0) {
        $client = stream_socket_accept($server, 60);
        fread($client, 65536);
        fwrite($client, $of(['answer' => $answer]));
        fclose($client);
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($server);
    $out = ops_larder($word, ...($word === 'get' ? ['k'] : []), ...['--fpm', $socket, '--fpm-file', '/larder.php']);
    echo preg_match('/[^\n\x20-\x7e]/', $out) ? 'a command: ' . bin2hex($out) : preg_replace('/[\d.]+ ms/', 'N ms', $out), "\n";
    pcntl_waitpid($child, $status);
    unlink($socket);
}

echo "-- the error log\n";
mkdir("$folder/preload");
file_put_contents("$folder/preload/red\e[31m \u{9b}2J\nö.data", 'no text');
foreach (['apcu -d apc.preload_path' => 'apcu_fetch("k")', 'immutable_cache -d immutable_cache.preload_path' => 'immutable_cache_fetch("k")'] as $directive => $call) {
    echo str_replace($folder, 'FOLDER', ops_php("-d larder.immutable_size=2M -d log_errors=1 -d larder.compat=$directive=$folder/preload", "$call;"));
}
?>
--EXPECT--
-- get
a	b
red \x1b[31m \x9b \xc2\x9b2J \xe2\x80\xaeback \ \x07
Array
(
    [\x1b]0;title\x07] => x\x0dy
)
6109620a726564201b5b33316d209b20c29b324a20e280ae6261636b205c20070a
larder: only one of --json and --raw may be given
exit code 2
-- a pool that says what it likes
volatile\x1b[31m /p\x1b[2J\x0aforged line
  memory    1 used (100.0%), 1 claimed, of 1
  entries   1
  reads     1 hit, 1 miss (50.0% hits), 1 copied (copy\x1b[5m 1)
  writes    1 new, 1 replaced, 1 deleted
  left      1 evicted (lately at 1.0s), 1 expired
  refused   1 (cause\x1b[5m 1)
  deaths    1 survived, 1 inside a write
  threads   1 of at most 1
  uptime    1.0s since the store was created

larder: pinned\x1b[32m: why\x1b[33m
exit code 1

v\x1b[0m /p\x1b[2J\x0aforged line
  memory    1 used (100.0%), 1 claimed, of 1
  entries   1
  reads     1 hit, 1 miss (50.0% hits), 1 copied (copy\x1b[5m 1)
  writes    1 new, 1 replaced, 1 deleted
  left      1 evicted (lately at 1.0s), 1 expired
  refused   1 (cause\x1b[5m 1)
  deaths    1 survived, 1 inside a write
  threads   1 of at most 1
  uptime    1.0s since the store was created
  values    of another PHP (ABI php\x1b[1m): not read

larder: pinned\x1b[32m: why\x1b[33m
exit code 1

volatile\x1b[31m: up, 1 of 1 used, 1 entry, N ms
larder: pinned\x1b[32m: why\x1b[33m
exit code 1

SIZE  USES   AGE  LEFT  TYPE              KEY
   1     2  1.0s     -  type\x1b[7m\x0ax  pool\x1b[8m/key\x1b[9m

SIZE  USES   AGE  LEFT  TYPE  KEY
   1     2  1.0s     -

READY  RESERVED  DELAYED  BURIED  OLDEST  SIZE  QUEUE
    1         0        0       0    0.0s     1  queue\x1b[31m

block\x1b[31m
exit code 1

\x1b[31mred

-- the error log
Larder: apc.preload_path: FOLDER/preload/red\x1b[31m \xc2\x9b2J\x0aö.data does not hold a serialized value
Larder: immutable_cache.preload_path: FOLDER/preload/red\x1b[31m \xc2\x9b2J\x0aö.data: not the text of one serialized value (wrong at byte 0 of 7)