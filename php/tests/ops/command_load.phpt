--TEST--
larder: ops: the command looks at and clears the stores of an FPM pool under load: no wrong answer, and the pool goes on
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); if (!extension_loaded('pcntl')) die('skip needs pcntl'); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
require dirname(__DIR__, 3) . '/ops/src/Failure.php';
require dirname(__DIR__, 3) . '/ops/src/FastCgi.php';
$fpm = fpm(['shop' => ['pm.max_children' => 3, 'php_admin_value[larder.volatile_size]' => '16M']]);
$program = $fpm->folder . '/www/larder.php';
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . ' ' . escapeshellarg($program));
$in = ['--fpm', $fpm->socket('shop'), '--fpm-file', $program];

/* A value contains its own key. After a clear(), the requests store the values again. */
$page = $fpm->script('
    $i = mt_rand(0, 199);
    foreach (["page:$i", "price:$i"] as $key) {
        $value = V::remember($key, fn () => ["key" => $key, "text" => str_repeat($key, 20)]);
        if ($value["key"] !== $key || $value["text"] !== str_repeat($key, 20)) exit("wrong");
    }
    V::increment("visits");
    V::set("mine:" . getmypid(), $i);
    if (V::get("pinned") ?? P::get("pinned") !== "stays") exit("wrong");
    echo "right";');
$fpm->run('shop', 'P::set("pinned", "stays"); V::set("visits", 0); for ($i = 0; $i < 200; $i++) foreach (["page:$i", "price:$i"] as $key) V::set($key, ["key" => $key, "text" => str_repeat($key, 20)]);');

/* Four clients count the right answers, and all other answers. */
$stop = $fpm->folder . '/www/stop';
$visitors = [];
$parent = getmypid();
for ($v = 0; $v < 4; $v++) {
    $pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pids[] = pcntl_fork()) === 0) {
        $counts = [0, 0];
        while (!file_exists($stop) && posix_getppid() === $parent) {
            try {
                $answer = (new Larder\Ops\FastCgi($fpm->socket('shop')))->request(['SCRIPT_FILENAME' => $page, 'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'GATEWAY_INTERFACE' => 'CGI/1.1']);
            } catch (Throwable $e) {
                $answer = $e->getMessage();
            }
            $counts[$answer === 'right' ? 0 : 1]++;
            $answer === 'right' || $counts[1] > 9 || fwrite(STDERR, "answer: $answer\n");
        }
        fwrite($pipe[1], json_encode($counts) . "\n");
        posix_kill(getmypid(), SIGKILL);
    }
    $visitors[] = $pipe[0];
}
$visits = fn (): int => (int) ops_larder('get', 'visits', ...$in);
fpm_wait(fn () => $visits() > 20);

for ($round = 0; $round < 5; $round++) {
    $before = $visits();
    $stats = json_decode(ops_larder('stats', '--json', '--store', 'volatile', ...$in), true)['stores']['volatile'];
    $good[] = $stats['entries'] > 200 && $stats['hits'] > 0 && $stats['used'] > 0 && $stats['used'] <= $stats['size'];
    $top = json_decode(ops_larder('top', '--json', '-n', '5', '--prefix', 'price:', ...$in), true);
    $good[] = count($top) === 5 && !array_filter($top, fn ($e) => !str_starts_with($e['key'], 'price:') || $e['type'] !== 'array');
    $keys = explode("\n", trim(ops_larder('keys', 'price:', ...$in)));
    $good[] = count($keys) === 200 && count(array_unique($keys)) === 200;
    $good[] = json_decode(ops_larder('get', '--json', 'price:7', ...$in), true)['value']['key'] === 'price:7';
    $good[] = preg_match('~^\d+ entr(y|ies) cleared in the volatile store of FPM pool \S+ of user \S+$~', trim(ops_larder('clear', '--prefix', 'page:', ...$in)));
    $good[] = trim(ops_larder('get', 'pinned', '--store', 'pinned', ...$in)) === 'stays';
    $good[] = fpm_wait(fn () => $visits() > $before); /* the load goes on */
}
echo array_sum($good), ' of ', count($good), " right\n";
echo preg_match('~^\d+ entries cleared in the volatile store of FPM pool \S+ of user \S+$~', trim(ops_larder('clear', ...$in))) ? "cleared\n" : "not cleared\n";
fpm_wait(fn () => $visits() > 5);
echo ops_larder('fsck', ...$in);
touch($stop);
$right = $wrong = 0;
foreach ($visitors as $visitor) {
    [$r, $w] = json_decode(fgets($visitor));
    $right += $r;
    $wrong += $w;
}
array_map(fn (int $pid) => pcntl_waitpid($pid, $status), $pids);
unlink($stop);
var_dump($right > 100, $wrong);
echo count($fpm->workers('shop')), " workers\n";
--EXPECT--
35 of 35 right
cleared
no violation in the volatile store
bool(true)
int(0)
3 workers
