--TEST--
larder: session: fpm: eight workers, one id, killed inside the lock and by request_terminate_timeout: a counter in the session is exact and nothing stays locked
--EXTENSIONS--
larder
session
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
/* LARDER_KILLS=2000 makes the test longer. LARDER_REPORT=FILE writes the measurements to FILE. */
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/fastcgi.php';

const CLIENTS = 8;
$kills = (int) (getenv('LARDER_KILLS') ?: 60);
$session = ['session.save_handler' => 'larder', 'session.use_strict_mode' => 0, 'session.use_cookies' => 0, 'session.cache_limiter' => '', 'larder.session_lock_wait' => 60000];
$pool = ['pm.max_children' => 8, 'listen.backlog' => 511];
$fpm = fpm(['www' => $pool], $session);

/* A worker writes the session, then answers. If the worker dies, its request may have been counted without an answer. So the count lies
 * between the number of answers and the number of requests. The parts of the session must always belong together. */
$code = <<<'PHP'
session_id($_SERVER['QUERY_STRING'] === 'alone' ? 'other' : 'shared');
session_start();
$n = $_SESSION['count'] ?? 0;
if (isset($_SESSION['list']) && (count($_SESSION['list']) !== $n % 50 || $_SESSION['sum'] !== md5("sum $n" . str_repeat('x', $n % 3000)))) die("TORN $n");
$_SESSION = ['count' => ++$n, 'list' => $n % 50 ? range(1, $n % 50) : [], 'sum' => md5("sum $n" . str_repeat('x', $n % 3000)), 'text' => str_repeat('x', $n % 3000)];
if ($_SERVER['QUERY_STRING'] === 'hang') for ($end = hrtime(true) + 1e11; hrtime(true) < $end;);
session_write_close();
echo 'ok';
PHP;
$work = $fpm->script($code);
$read = function (string $id) use (&$fpm): string { return (string) $fpm->run('www', "session_id('$id'); session_start(); echo \$_SESSION['count'] ?? 'nothing', ' ', Larder\\Sessions::count(), ' ', Larder\\Sessions::info()->evictions;"); };

echo "-- nobody dies\n";
$clients = function (int $requests) use (&$fpm, &$work): array {
    for ($c = 0; $c < CLIENTS; $c++) {
        $pair[$c] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (($pids[$c] = pcntl_fork()) === 0) {
            $seen = ['ok' => 0, 'lost' => 0, 'wrong' => 0];
            for ($i = 0; $i < $requests; $i++) {
                $answer = fastcgi($fpm->socket('www'), $work, (string) $i);
                $seen[$answer === 'ok' ? 'ok' : ($answer === null || $answer === '' ? 'lost' : 'wrong')]++;
                $answer === 'ok' || $answer === null || $answer === '' || file_put_contents($fpm->folder . '/log/wrong', "$answer\n", FILE_APPEND);
                if ($requests > 1e6 && file_exists($fpm->folder . '/log/stop')) break;
            }
            fwrite($pair[$c][1], json_encode($seen));
            posix_kill(getmypid(), SIGKILL);
        }
        fclose($pair[$c][1]);
    }
    return [$pids, array_column($pair, 0)];
};
$sum = function (array $pids, array $streams): array {
    $total = ['ok' => 0, 'lost' => 0, 'wrong' => 0];
    foreach ($streams as $stream) foreach (json_decode(stream_get_contents($stream), true) as $what => $n) $total[$what] += $n;
    foreach ($pids as $pid) pcntl_waitpid($pid, $status);
    return $total;
};
echo json_encode($sum(...$clients(100))), ' ', $read('shared'), "\n";

echo "-- workers die\n";
$fpm->stop();
$fpm = fpm(['www' => $pool + ['request_terminate_timeout' => '2s']], $session); /* on a busy machine, FPM may end any request after 2 s */
$work = $fpm->script($code);
[$pids, $streams] = $clients(PHP_INT_MAX);
$hanging = 0;
for ($killed = 0, $end = microtime(true) + 300 + $kills; $killed < $kills && microtime(true) < $end;) {
    $workers = $fpm->workers('www');
    if ($workers && $fpm->kill($workers[array_rand($workers)])) $killed++;
    usleep(mt_rand(2000, 30000));
    if ($killed % 200 === 20 && !$hanging) { /* a request that keeps the session until FPM ends its worker by SIGTERM */
        $hanging = pcntl_fork();
        if ($hanging === 0) {
            fastcgi($fpm->socket('www'), $work, 'hang');
            posix_kill(getmypid(), SIGKILL);
        }
    }
    if ($hanging && $killed % 200 === 199) $hanging = pcntl_waitpid($hanging, $status) * 0;
}
$hanging && pcntl_waitpid($hanging, $status);
fpm_wait(fn () => (int) $read('shared') > 5 * $kills); /* on a busy machine, the clients need longer to reach this count */
touch($fpm->folder . '/log/stop');
$seen = $sum(...[$pids, $streams]);
$count = (int) $read('shared');
$least = $seen['ok'];
var_dump($killed === $kills, $seen['ok'] > 2 * $kills, $seen['wrong'], $count >= $least, $count <= $least + $seen['lost'] + $killed + 1);
echo @file_get_contents($fpm->folder . '/log/wrong');

echo "-- nothing is locked\n";
$start = hrtime(true);
echo fastcgi($fpm->socket('www'), $work, 'last'), ' ', fastcgi($fpm->socket('www'), $work, 'alone'), "\n";
$took = (hrtime(true) - $start) / 1e6;
echo (int) $read('shared') - $count, "\n";
if ($file = getenv('LARDER_REPORT'))
    file_put_contents($file, sprintf("%d workers killed: %d right answers, %d wrong, %d lost with their worker; the session counts %d, at least %d; then two requests took %.1f ms; %s\n", $killed, $seen['ok'], $seen['wrong'], $seen['lost'], $count, $least, $took, $fpm->run('www', '$i = Larder\Sessions::info(); echo "deaths $i->deaths, inside a write $i->recoveries";')), FILE_APPEND);
preg_match_all('/(?:Warning|Fatal).*session.*/i', $fpm->log('www'), $m);
echo implode("\n", array_unique($m[0]));
--EXPECT--
-- nobody dies
{"ok":800,"lost":0,"wrong":0} 800 1 0
-- workers die
bool(true)
bool(true)
int(0)
bool(true)
bool(true)
-- nothing is locked
ok ok
1
