--TEST--
larder: ops: the output of the command fits into 80 columns: help of each command, large numbers, queues, a screen of watch
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
foreach (glob(dirname(__DIR__, 3) . '/ops/src/*.php') as $file) {
    require_once $file;
}
use Larder\Ops\Command;
use Larder\Ops\Options;

$wide = fn (string $text) => array_filter(explode("\n", $text), fn (string $line) => strlen($line) > 80);
$checked = 0;
foreach (['', ...array_keys(Command::WORDS)] as $word) {
    $text = $word === '' ? ops_larder('--help') : ops_larder('help', $word);
    foreach ($wide($text) as $line) {
        echo "help $word: $line\n";
    }
    /* The help of each command has an example that uses the command. */
    $checked += $word === '' || preg_match("/\nExamples\n  larder .*\\b$word\\b/", $text);
}
echo $checked === count(Command::WORDS) + 1 ? "help of all commands\n" : "$checked have an example\n";

echo "-- large numbers\n";
$command = new Command('', '');
(new ReflectionProperty($command, 'options'))->setValue($command, new Options([]));
$numbers = array_fill_keys(['size', 'used', 'claimed', 'retired', 'entries', 'hits', 'misses', 'inserts', 'replaces', 'deletes', 'evicted', 'expired', 'refused', 'copies', 'deaths', 'recoveries', 'threads', 'thread_limit'], 99999999999);
$causes = array_fill_keys(['full', 'scattered', 'index', 'file_system', 'size', 'busy', 'slots'], 9999999);
$text = (new ReflectionMethod($command, 'describe'))->invoke($command, 'volatile', $numbers + ['path' => '/dev/shm/x', 'policy' => 'volatile', 'abi' => 'x', 'readable' => true, 'evicted_age' => 86399.0, 'uptime' => 8639999.0, 'refusal_causes' => $causes, 'copy_causes' => array_fill_keys(['memory', 'time', 'number'], 9999999)]);
echo json_encode($wide($text)), substr_count($text, 'slots'), ' ', trim(strstr($text, 'uptime')), "\n";
$row = (new ReflectionMethod($command, 'rates'))->invoke($command, array_fill_keys(['hits', 'misses', 'inserts', 'replaces', 'evicted', 'refused'], 0), $numbers, 1.0);
echo json_encode($row), "\n";

$numbers += ['uptime' => 400 * 86400.0];
$stores = (new ReflectionMethod($command, 'storeTable'))->invoke(null, ['stores' => array_fill_keys(['volatile', 'immutable'], array_merge($numbers, ['entries' => 99999, 'size' => 1, 'used' => 1]))], fn (string $store) => array_merge(array_fill_keys(['hits', 'misses', 'stored', 'evicted', 'refused'], Larder\Ops\Text::short(99999)), ['rate' => '100.0%']));
echo max(array_map('strlen', explode("\n", $stores))), ' ', substr($stores, -8); /* The screen has 79 columns. */
/* Ideographs take two columns, combining marks none. */
foreach (["\u{4e2d}\u{6587}", "e\u{301}e\u{301}", "\u{1f600}!", 'abcd'] as $text) {
    echo Larder\Ops\Text::width($text), json_encode(Larder\Ops\Text::cut($text, 3)), ' ';
}
echo "\n";

echo "-- the doctor: all but paths and lines to write\n";
$all = ops_command('doctor');
array_splice($all, 2, 0, ['-d', 'larder.volatile_size=1GB', '-d', 'larder.scope=../x', '-d', 'display_startup_errors=0']);
$doctor = (string) shell_exec(implode(' ', array_map('escapeshellarg', $all)) . ' 2>/dev/null');
echo json_encode(array_values(preg_grep('/^  \w/', $wide($doctor)))), substr_count($doctor, 'WRONG  settings'), preg_match('/stores are named|none is there yet/', $doctor), "\n"; /* with a bad scope, the doctor does not name the stores */
$where = 'restart FPM, and all else that uses the store, to have 16M (empty); or, to keep 8.0M, write into /etc/php/8.2/cli/conf.d/99-local.ini, line 3';
echo json_encode($wide(Larder\Ops\Doctor::text([['part' => 'command line', 'check' => 'stores', 'level' => 'wrong', 'text' => 'its size', 'where' => $where, 'line' => 'larder.volatile_size = 8M']]))), "\n";

echo "-- queues and pools of the command line's own scope\n";
$folder = ops_folder();
$settings = "-d larder.enable_cli=1 -d larder.path=$folder -d larder.scope=app -d larder.queue_size=2M -d larder.volatile_size=2M";
ops_php($settings, '$q = Larder\Queue::open("mail"); for ($i = 0; $i < 3; $i++) $q->push($i); $q->pop()->bury(); $q->pop()->bury(); V::set("key", 1); V::get("key"); V::pool("p")->set("in", "pool"); V::pool("q")->set("in", 1);');
$run = function (string $words, string $before = '') use ($settings): string {
    $all = implode(' ', array_map('escapeshellarg', ops_command()));
    return (string) shell_exec("$before " . preg_replace('/^(\S+ \S+)/', "$1 $settings", $all, 1) . " $words 2>&1");
};
echo preg_replace('/(\d+m)?[\d.]+s(?= )/', 'AGE', preg_replace('/ {2,}/', '  ', $run('queues'))), $run('kick mail -n 0'), $run('kick mail -n 1'), $run('kick mail'), $run('kick mail'), $run('kick none');
$queue = json_decode($run('queues --json'))[0];
echo $queue->ready, ' ', $queue->buried, ' ', json_encode($queue->oldest >= 0 && $queue->oldest < 3600), "\n";
echo preg_match('/^  larder\.queue_size +2M$/m', $run('settings')), json_decode($run('settings -j'))->{'larder.scope'}, "\n";
echo preg_replace('~ /.*~', '', $run('clear --pool p')), $run('keys --pool p'), $run('keys --pool q'), $run('clear --pool p --store pinned');

echo "-- a screen\n";
exec('script -qec true /dev/null </dev/null >/dev/null 2>&1', $lines, $code);
if ($code !== 0) {
    echo "drawn\n"; /* without a pseudo-terminal there is no screen */
} else {
    $watch = implode(' ', array_map('escapeshellarg', [...array_slice($all = ops_command(), 0, 2), ...explode(' ', $settings), ...array_slice($all, 2)])) . ' watch --count 1 --interval 0.1';
    $draw = fn (string $before): array => explode("\e[H\e[J", str_replace("\r", '', (string) shell_exec('COLUMNS=80 script -qec ' . escapeshellarg("$before $watch") . ' /dev/null </dev/null')));
    foreach ([[20, 24], [80, 3], [7, 4]] as [$columns, $rows]) {
        $screens = $draw("stty cols $columns rows $rows;");
        $lines = explode("\n", rtrim(end($screens), "\n"));
        echo max(array_map(strlen(...), $lines)) < $columns && count($lines) < $rows ? '' : json_encode([$columns, $rows, $lines]) . "\n";
    }
    $screens = $draw('');
    $found = array_filter(['larder ', 'HITS/S', "\nvolatile ", 'OLDEST', 'mail', 'MOST USED', 'key'], fn (string $text) => !str_contains(end($screens), $text));
    $found += preg_match('/^queue( +-){5} +\d\S* +- +[\d.]+% /m', end($screens)) ? [] : ['queue'];
    echo count($screens) === 3 && $found === [] && $wide(end($screens)) === [] ? "drawn\n" : json_encode([$screens, $found]);
}
?>
--EXPECT--
help of all commands
-- large numbers
[]1 uptime    99d23h since the store was created
{"hits":"100G","misses":"100G","rate":"50.0%","stored":"200G","evicted":"100G","refused":"100G","packs":"0","unpacks":"0"}
74  400d0h
4"\u4e2d>" 2"e\u0301e\u0301" 3"\ud83d\ude00!" 4"ab>" 
-- the doctor: all but paths and lines to write
[]20
[]
-- queues and pools of the command line's own scope
READY  RESERVED  DELAYED  BURIED  OLDEST  SIZE  QUEUE
  1  0  0  2  AGE  384  mail
larder: --limit 0: a whole number from 1 to 999999999 is expected
1 message is ready again
1 message is ready again
0 messages are ready again
larder: there is no queue none
3 0 true
1app
1 entry of Larder\Pool p cleared in the volatile store
in
larder: --pool: the pinned store has no pools
-- a screen
drawn
