--TEST--
larder: FrankenPHP: workers: a mixed load, large values, statics, forgotten locks; ended and restarted workers
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/frankenphp.php';
frankenphp_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/frankenphp.php';
const THREADS = 8;
const REQUESTS = 20000;
$server = frankenphp(
    ['site' => ['worker {', 'file FOLDER/site/worker.php', 'num ' . THREADS, '}']],
    ['num_threads ' . THREADS + 2],
    ['larder.statics' => '1', 'larder.volatile_size' => '32M'],
);
$load = 'require_once ' . var_export(dirname(__DIR__) . '/include/mixed_load.php', true) . ';';

/* Sends requests from several clients at once, and calls $meanwhile. Returns the number of requests without a right answer. */
function load(FrankenPhp $server, int $requests, string $code, ?callable $meanwhile = null): int
{
    $clients = [];
    $others = 0;
    for ($i = 0; $i < THREADS; $i++) {
        if (($clients[$i] = pcntl_fork()) !== 0) continue;
        $count = $server->repeat(intdiv($requests, THREADS), 'site', $code, '0', 'worker.php');
        file_put_contents("$server->folder/others-" . getmypid(), (string) $count);
        posix_kill(getmypid(), SIGKILL); /* end without destructors, and without PHP's shutdown */
    }
    if ($meanwhile) $meanwhile();
    foreach ($clients as $pid) {
        pcntl_waitpid($pid, $status);
        $file = "$server->folder/others-$pid";
        $others += is_file($file) ? (int) file_get_contents($file) : $requests;
        @unlink($file);
    }
    return $others;
}

$same = fn(array $answers) => implode(' ', array_unique($answers));
$all = fn(string $code) => $server->all(THREADS, 'site', $load . $code);
echo 'threads: ', count(array_unique($all('echo $GLOBALS["thread"];'))), "\n";
echo 'wrong: ', load($server, REQUESTS, "$load echo handle(1);"), "\n";
$copies = (int) $server->get('site', "$load echo copied(0);", 'worker.php');
echo $copies >= 0 && $copies <= 20 ? "copies: few\n" : "copies: $copies of 1000 hits\n";
echo 'large values found: ', $same($all('echo fresh(40);')), "\n";

echo 'statics: ';
for ($i = 1; $i <= 5; $i++) {
    $server->get('site', "$load echo change($i);", 'worker.php');
    echo $same($all('echo unchanged(0);')), ' ';
}
echo "\n";

/* The request that takes the last turn ends without unlocking the key. */
$take = '$got = \Larder\VolatileCache::lock("forgotten"); echo json_encode($got); if ($turn < ' . THREADS . ') \Larder\VolatileCache::unlock("forgotten");';
for ($i = 0; $i < 3; $i++) echo 'lock: ', $same($all($take)), "\n";
echo 'told: ', substr_count($server->said(), 'has ended with 1 key locked') >= 1 ? 'yes' : 'no', "\n";

echo "ended workers\n";
foreach (['exit(0);', 'throw new Exception("of a test");', 'str_repeat("x", 1 << 40);', 'undefined();'] as $end) {
    $server->get('site', "$load handle(1); \Larder\VolatileCache::lock('of the ended'); $end", 'worker.php');
    $server->wait(fn() => $server->get('site', '$got = \Larder\VolatileCache::lock("of the ended"); \Larder\VolatileCache::unlock("of the ended"); echo json_encode($got);', 'worker.php') === 'true');
}
echo 'wrong: ', load($server, 800, "$load echo handle(1);"), "\n";

/* Requests may fail while PHP is started again, but no request may get a wrong value. */
$counted = 'echo handle(1) === 0 ? 0 : "WRONG";';
$server->get('site', '\Larder\PinnedCache::set("kept", ["as", "it", "was"]);');
foreach (['restart_workers'] as $how) {
    echo "$how: ";
    $done = 0;
    load($server, 1600, "$load $counted", function () use ($server, $how, &$done) { for ($i = 0; $i < 4; $i++) $done += $server->$how(); });
    $server->wait(fn() => $server->get('site', 'echo "up";', 'worker.php') === 'up');
    echo "$done, kept: ", $server->get('site', 'echo json_encode(\Larder\PinnedCache::get("kept"));', 'worker.php');
    echo ', threads: ', count(array_unique($all('echo $GLOBALS["thread"];'))), ', wrong: ', load($server, 800, "$load echo handle(1);"), "\n";
}
echo 'in variables: ', $same($all('echo verify(0);')), "\n";
$said = $server->said();
echo 'said: ', preg_match('/^.*(WRONG|SIGSEGV|panic:|signal arrived).*$/m', $said, $m) ? $m[0] : 'nothing wrong', "\n";
if (getenv('LARDER_REPORT')) file_put_contents(getenv('LARDER_REPORT'), "copies of 1000 hits: $copies\n" . $server->get('site', '$i = \Larder\VolatileCache::info(); echo "hits $i->hits, copies $i->copies\n";'), FILE_APPEND);
?>
--EXPECT--
threads: 8
wrong: 0
copies: few
large values found: 40
statics: 1 2 3 4 5 
lock: true
lock: true
lock: true
told: yes
ended workers
wrong: 0
restart_workers: 4, kept: ["as","it","was"], threads: 8, wrong: 0
in variables: 0
said: nothing wrong
