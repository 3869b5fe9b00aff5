--TEST--
larder: ops: the command looks at, deletes from and clears named stores; bad input is one line and an exit code
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$in = ['--folder', $folder, '--scope', 'app'];
$clean = fn (string $text) => strtr($text, [$folder => 'FOLDER', 'user ' . posix_getpwuid(posix_geteuid())['name'] => 'USER', 'user ' . posix_geteuid() => 'USER', 'larder-' . posix_geteuid() => 'larder-UID']);
$list = function (string $text) { $lines = explode("\n", trim($text)); sort($lines); return implode(' ', $lines) . "\n"; };

echo "-- looking makes nothing\n", $clean(ops_larder('stats', ...$in)), count(scandir($folder)) - 2, "\n";
ops_php("-d larder.path=$folder -d larder.scope=app -d larder.volatile_size=8M -d larder.pinned_size=8M", '
    for ($i = 0; $i < 20; $i++) V::set("user:$i", str_repeat("x", 100 * $i), $i === 7 ? 600 : 0);
    V::set("n", 5); V::set("list", ["a" => [1.5, null, true]]); V::set("odd\n\e[31m\"<b>\\\\\xff", "text"); V::pool("p")->set("in", "pool"); P::set("pinned", 1);
    for ($i = 0; $i < 4; $i++) V::get("user:3"); V::get("none");');
$files = array_map(null, glob("$folder/*/*"));

echo "-- stats\n", $clean(preg_replace('/\d[\d.]*[KM]? used \([\d.]+%\), \d+K claimed/', 'N used, N claimed', ops_larder('stats', ...$in)));
echo gettype(json_decode(ops_larder('stats', '-j', ...$in))->off), "\n"; /* {}, not [] */
$other = ops_folder();
ops_php("-d larder.path=$other -d larder.volatile_size=1M", 'for ($i = 0; $i < 20; $i++) { V::set("$i", str_repeat("x", 30000)); $held[] = V::get("$i"); }');
echo preg_match('/ hits\), ([1-9]\d*) copied\s+\(memory \1\)$/m', ops_larder('stats', '--folder', $other)), "\n";
echo "-- top\n", preg_replace('/ \d+\.\ds  /', ' AGE  ', preg_replace('/9m5\ds|10m0s/', '10m', ops_larder('top', '-n', '3', ...$in)));
echo ops_larder('top', '--order', 'uses', '-n', '1', '--json', ...$in) === '' ? '' : json_decode(ops_larder('top', '--order', 'uses', '-n', '1', '--json', ...$in))[0]->key, "\n";
echo json_decode(ops_larder('top', '-o', 'ttl', '-n1', '-j', ...$in))[0]->key, "\n";
echo "-- keys\n", $list(ops_larder('keys', 'user:1', ...$in)), $list(ops_larder('keys', 'odd', ...$in)), ops_larder('keys', '--pool', 'p', ...$in), ops_larder('keys', '-S', 'pinned', ...$in);
echo ops_larder('keys', 'in', ...$in), ops_larder('keys', 'in', '-o', 'age', '-0', ...$in), "\n", ops_larder('keys', '-o', 'age', '--pool', 'p', ...$in), json_encode(json_decode(ops_larder('keys', 'in', '-j', ...$in))), "\n";
echo preg_match_all('/odd/', ops_larder('top', '--prefix', 'odd\x0a', ...$in)), strstr(ops_larder('stats', '--openmetrics', '--prefix', 'odd\x0a', ...$in), 'larder_prefix_entries{');
echo count(explode("\0", ops_larder('keys', '-0', ...$in))) - 1, "\n";
echo "-- get\n", strlen(ops_larder('get', 'user:5', ...$in)), ' ', ops_larder('get', 'n', ...$in), ops_larder('get', 'list', ...$in), ops_larder('get', 'odd\x0a\x1b[31m"<b>\\\\\xff', ...$in);
$got = json_decode(ops_larder('get', 'list', '--json', ...$in));
echo json_encode([$got->value, $got->type, $got->key, $got->ttl, $got->uses, $got->age < 600]), "\n";
ops_php("-d larder.path=$folder -d larder.scope=app", 'class Gone { public $x = 1; } V::set("gone", new Gone); V::set("hard", [INF, [-NAN], "\0*\0x" => 0.0]); V::set("std", (object) []);');
echo ops_larder('get', 'gone', ...$in), ops_larder('get', 'std', '-j', ...$in) === '' ? '' : json_encode(json_decode(ops_larder('get', 'std', '-j', ...$in))->value), "\n";
echo json_encode(json_decode(ops_larder('get', 'hard', '-j', ...$in), true)['value'], JSON_PRESERVE_ZERO_FRACTION), "\n", ops_larder('del', 'std', 'hard', 'gone', 'gone', ...$in);
echo "-- del\n", ops_larder('del', 'user:1', 'user:2', 'none', ...$in), ops_larder('del', 'odd\x0a\x1b[31m"<b>\\\\\xff', ...$in), ops_larder('get', 'user:1', ...$in);
echo "-- clear\n", $clean(ops_larder('clear', '--prefix', 'user:1', '--prefix', 'user:3', '--prefix', 'user:4', ...$in)), $clean(ops_larder('clear', ...$in)), $clean(ops_larder('clear', ...$in)), ops_larder('keys', '-S', 'pinned', ...$in);
echo "-- ping, fsck, watch\n", preg_replace('/, [^,]* used, (.*), [\d.]+ ms/', ' $1', ops_larder('ping', ...$in)), ops_larder('fsck', ...$in), preg_match_all('/\n/', ops_larder('watch', '-c', '2', '-i', '0.01', ...$in)), "\n";
$process = proc_open(ops_command('watch', '-c', '2', '-i', '0.5', '--folder', $other), [['file', '/dev/null', 'r'], ['pipe', 'w']], $pipes);
fgets($pipes[1]);
fgets($pipes[1]);
posix_kill(proc_get_status($process)['pid'], SIGSTOP); /* stop `watch` while it waits for its next line */
array_map('unlink', glob("$other/*/*"));
ops_php("-d larder.path=$other -d larder.volatile_size=1M", 'for ($i = 0; $i < 100; $i++) V::get("none"); V::set("a", 1);'); /* the counts are lower than those of the old store */
posix_kill(proc_get_status($process)['pid'], SIGCONT);
echo preg_match('/^ *\d.*-\d/m', $lines = stream_get_contents($pipes[1])), substr_count($lines, "\n"), "\n";
proc_close($process);
echo "-- nobody reads, or nothing can be written\n";
$process = proc_open(ops_command('watch', '-i', '0.01', ...$in), [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
fgets($pipes[1]);
fclose($pipes[1]);
echo proc_close($process), "\n";
echo proc_close(proc_open(ops_command('ping', ...$in), [['file', '/dev/null', 'r'], ['file', '/dev/full', 'w'], ['file', '/dev/null', 'w']], $pipes)), "\n";
foreach ([['--help'], ['--version']] as $arguments) {
    echo proc_close(proc_open(ops_command(...$arguments), [['file', '/dev/null', 'r'], ['file', '/dev/full', 'w'], ['file', '/dev/null', 'w']], $pipes)), "\n";
}
foreach ([['nope'], [], ['get', 'none', ...$in]] as $arguments) { /* stderr is closed, so messages are lost */
    $process = proc_open(['sh', '-c', '"$@" 2>&-', 'sh', ...ops_command(...$arguments)], [['file', '/dev/null', 'r'], ['pipe', 'w']], $pipes);
    echo stream_get_contents($pipes[1]), proc_close($process), "\n";
}
echo "-- nothing was made\n", json_encode($files === glob("$folder/*/*")), "\n";

echo "-- bad input\n";
foreach ([[], ['nope'], ['stats', '--nope'], ['stats', 'x', ...$in], ['get', ...$in], ['get', 'a', 'b', ...$in], ['top', '-o', 'what', ...$in], ['top', '-n', 'few', ...$in], ['stats', '--store', 'x', ...$in],
    ['stats', '--scope', '../x'], ['stats', '--path', "$folder/none"], ['stats', '--scope', 'a', '--path', 'b'], ['stats', '--scope'], ['stats', '--json=yes'], ['stats', '--user', 'no-such-user', ...$in],
    ['stats', '--fpm', "$folder/none.sock"], ['stats'], ['clear', '--pool', 'p', ...$in], ['clear', '--prefix', '', ...$in], ['clear', '--prefix=', ...$in], ['watch', '-i', '1e400', ...$in], ['warm', "$folder/none.php", ...$in], ['warm', $folder, ...$in], ['watch', '-S', 'queue', ...$in], ['queues', '-S', 'volatile', ...$in], ['get', 'p/in', ...$in], ['del', 'p/in', ...$in], ['completion', 'sh'], ['keys', '-S', 'apcu', ...$in],
    ['get', 'in', '--pool', 'p', ...$in], ['ping', '--json', ...$in], ['stats', '--prefix', 'p', ...$in], ['keys', 'a', '--prefix', 'b', ...$in], ['clear', '--prefix', 'a', '--pool', 'p', ...$in], ['warm', __FILE__, ...$in],
    ['get', '', ...$in], ['top', '-n1.5', ...$in], ['watch', '-c', '0.5', ...$in], ['-dash', ...$in],
    ['watch', '-c', '0', ...$in], ['-V', 'foo'], ['get', 'a', '--path', ''], ['get', 'a', '--fpm', ''], ['get', 'a', '--folder', '', '--scope', 'a'], ['watch', '-S', 'immutable', ...$in],
    ['keys', '-0', '--json', ...$in], ['stats', '--json', '--openmetrics', ...$in], ['keys', '--fpm-file', 'larder.php', ...$in], ['keys', '--folder', $folder, '--path', 'b'], ['keys', '--folder', $folder, '--fpm', 'b'], ['queues', ...$in]] as $arguments) {
    $text = $clean(ops_larder(...$arguments));
    echo str_starts_with($text, 'Usage') ? 'the usage, ' . substr($text, strrpos($text, 'exit code')) : $text;
}

echo "-- files that are no good\n";
$path = glob("$folder/*/app-volatile")[0];
file_put_contents("$folder/text", 'no store'); chmod("$folder/text", 0600);
echo $clean(ops_larder('stats', '-p', "$folder/text"));
$bytes = file_get_contents($path, false, null, 0, 4096);
foreach (['another version' => [8, "\xee"], 'damaged' => [40, "\xee\xee"]] as $what => [$at, $with]) {
    $file = fopen($path, 'r+'); fseek($file, $at); fwrite($file, $with); fclose($file);
    $sum = md5_file($path);
    echo "$what: ", preg_replace('/[0-9a-f]{16}|version \d+|has \d+/', '...', $clean(ops_larder('keys', '-p', $path))), json_encode($sum === md5_file($path)), "\n";
    $file = fopen($path, 'r+'); fwrite($file, $bytes); fclose($file);
}
echo ops_larder('keys', '-p', $path);
--EXPECTF--
-- looking makes nothing
larder: no store of scope "app" in FOLDER for USER: no program of this user has used one
exit code 1
0
-- stats
volatile FOLDER/larder-UID/app-volatile
  memory    N used, N claimed, of 8.0M
  entries   26
  reads     %d hits, %d misses (%s hits)
  writes    26 new, 0 replaced, 0 deleted
  left      0 evicted, 0 expired
  refused   0
  deaths    0 survived, 0 inside a write
  threads   0 of at most 4,096
  uptime    %s since the store was created

pinned FOLDER/larder-UID/app-pinned
  memory    %s used (%s), 4.0K claimed, of 8.0M
  entries   1
  reads     0 hits, 0 misses (- hits)
  writes    1 new, 0 replaced, 0 deleted
  left      0 evicted, 0 expired
  refused   0
  deaths    0 survived, 0 inside a write
  threads   0 of at most 4,096
  uptime    %s since the store was created

object
1
-- top
SIZE  USES%wAGE%wLEFT  TYPE    KEY
1.9K     0  AGE     -  string  user:19
1.8K     0  AGE     -  string  user:18
1.7K     0  AGE     -  string  user:17
user:3
user:7
-- keys
user:1 user:10 user:11 user:12 user:13 user:14 user:15 user:16 user:17 user:18 user:19
odd\x0a\x1b[31m"<b>\\\xff
in
pinned
p/in
p/in%0
in
["p\/in"]
1larder_prefix_entries{prefix="odd\\x0a"} 1
# TYPE larder_prefix_bytes gauge
# UNIT larder_prefix_bytes bytes
# HELP larder_prefix_bytes Memory of entries whose keys begin with the prefix.
larder_prefix_bytes{prefix="odd\\x0a"} %d
# TYPE larder_build info
# HELP larder_build The version.
larder_build_info{%s} 1
# EOF
24
-- get
501 5
Array
(
    [a] => Array
        (
            [0] => 1.5
            [1] => 
            [2] => 1
        )

)
text
[{"a":[1.5,null,true]},"array","list",null,%d,true]
larder: the value cannot be read here: a class is not known, or has changed, or it is not PHP's; key gone
exit code 1
{}
{"0":null,"1":[null],"\u0000*\u0000x":0.0}
-- del
larder: no entry has the key none
exit code 1
larder: no entry has the key user:1
exit code 1
-- clear
12 entries cleared in the volatile store FOLDER/larder-UID/app-volatile of USER
%d entries cleared in the volatile store FOLDER/larder-UID/app-volatile of USER
0 entries cleared in the volatile store FOLDER/larder-UID/app-volatile of USER
pinned
-- ping, fsck, watch
volatile: up 0 entries
pinned: up 1 entry
no violation in the volatile store
3
01
-- nobody reads, or nothing can be written
1
1
1
1
2
2
1
-- nothing was made
true
-- bad input
the usage, exit code 2
larder: unknown command "nope"; expected doctor, stats, top, keys, get, del, clear, ping, watch, warm, queues, kick, settings, fsck, completion, help
exit code 2
larder: unknown option --nope; see larder --help
exit code 2
larder: larder stats takes no arguments
exit code 2
larder: larder get KEY is expected
exit code 2
larder: larder get KEY is expected
exit code 2
larder: --order what: one of size, uses, age, ttl, key is expected
exit code 2
larder: --limit few: a whole number from 1 to 999999999 is expected
exit code 2
larder: --store x: one of volatile, pinned, immutable, apcu, session, queue is expected
exit code 2
larder: --scope = "../x": must be at most 64 letters, digits, '_', '-' and '.', no '.' first
exit code 2
larder: FOLDER/none: there is no such file
exit code 1
larder: only one of --scope, --path and --fpm may be given
exit code 2
larder: --scope needs NAME
exit code 2
larder: --json takes no value
exit code 2
larder: there is no user "no-such-user"
exit code 2
larder: FOLDER/none.sock: No such file or directory; a path of php-fpm's socket ("listen" of the pool) or HOST:PORT is expected
exit code 1
larder: which store? name one with --scope NAME, --path FILE or --fpm SOCKET; see larder --help
exit code 2
larder: pools are cleared by a PHP that uses them: give --fpm, or set larder.scope and larder.enable_cli for the command line
exit code 2
larder: --prefix is empty: all entries are deleted without it
exit code 2
larder: --prefix is empty: all entries are deleted without it
exit code 2
larder: --interval 1e400: a number from 0.01 to 1e9 is expected
exit code 2
larder: FOLDER/none.php cannot be read by USER, or does not exist
exit code 1
larder: FOLDER is a folder; a PHP file is expected
exit code 1
larder: a store of queues has no reads and writes to watch; "larder queues" shows its queues
exit code 2
larder: larder queues takes no --store
exit code 2
larder: no entry has the key p/in; get and del do not look into pools
exit code 1
larder: no entry has the key p/in; get and del do not look into pools
exit code 1
larder: larder completion sh: one of bash, zsh and fish is expected
exit code 2
larder: there is no store "apcu" here, only volatile, pinned
exit code 2
larder: larder get takes no --pool
exit code 2
larder: larder ping takes no --json
exit code 2
larder: --prefix takes --openmetrics
exit code 2
larder: only one of PREFIX and --prefix may be given
exit code 2
larder: only one of --prefix and --pool may be given
exit code 2
larder: warm fills the stores of php.ini, which are others; run php -d larder.scope=NAME FILE
exit code 2
larder: key must be between 1 and 65535 bytes long, 0 given
exit code 2
larder: --limit 1.5: a whole number from 1 to 999999999 is expected
exit code 2
larder: --count 0.5: a whole number from 1 to 999999999 is expected
exit code 2
larder: unknown option -dash; see larder --help
exit code 2
larder: --count 0: a whole number from 1 to 999999999 is expected
exit code 2
larder: larder --version takes no arguments
exit code 2
larder: --path is empty: the file of a store is expected
exit code 2
larder: --fpm is empty: a path of php-fpm's socket ("listen" of the pool) or HOST:PORT is expected
exit code 2
larder: --folder = "": must be an absolute path
exit code 2
larder: there is no store "immutable" here, only volatile, pinned
exit code 2
larder: only one of --json and --null may be given
exit code 2
larder: only one of --json and --openmetrics may be given
exit code 2
larder: --fpm-file takes --fpm
exit code 2
larder: only one of --folder, --path and --fpm may be given
exit code 2
larder: only one of --folder, --path and --fpm may be given
exit code 2
larder: there are no queues: no program has used one in this scope
exit code 1
-- files that are no good
larder: volatile: LRD_EFORMAT: not a larder segment, or damaged: FOLDER/text: has no .lock file beside it, as a segment has
exit code 1
another version: larder: %s
exit code 1
true
damaged: larder: %s
exit code 1
true
