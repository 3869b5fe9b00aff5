--TEST--
larder: fpm: workers killed under load lose nothing that is pinned and give no wrong answer
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
/* LARDER_KILLS=1000 makes the test longer. LARDER_REPORT=FILE writes the measurements to FILE. */
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/fastcgi.php';

const CLIENTS = 4, PINNED = 64;
$kills = (int) (getenv('LARDER_KILLS') ?: 100);
$fpm = fpm(['www' => ['pm.max_children' => 4, 'php_admin_value[larder.volatile_size]' => '2M', 'php_admin_value[larder.pinned_size]' => '4M']]);

/* make() derives a value from its key and number, so that good() can check it. Scripts answer "ok", or the error. */
$common = <<<'PHP'
function make(string $key, int $n): array { $text = str_repeat(md5("$key $n"), 1 + $n % 200); return ['key' => $key, 'n' => $n, 'list' => range($n, $n + 20), 'text' => $text, 'sum' => crc32($text)]; }
function good(mixed $v, string $key): bool { return is_array($v) && $v['key'] === $key && $v === make($key, $v['n']) && crc32($v['text']) === $v['sum']; }
PHP;
$fill = $fpm->script("$common for (\$i = 0; \$i < " . PINNED . "; \$i++) P::set(\"p\$i\", make(\"p\$i\", \$i)) || print('FULL');\nP::set('count', 0); echo 'ok';");
$all = $fpm->script("$common \$lost = []; for (\$i = 0; \$i < " . PINNED . "; \$i++) good(P::get(\"p\$i\"), \"p\$i\") || \$lost[] = \$i; echo 'lost ', count(\$lost), ' of ', " . PINNED . ";");
$work = $fpm->script($common . <<<'PHP'
mt_srand((int) $_SERVER['QUERY_STRING']);
$held = [];
for ($round = 0; $round < 8; $round++) {
    $i = mt_rand(0, 63);
    $n = mt_rand(0, 999);
    if (!good($held["p$i"] = P::get("p$i"), "p$i")) die("PINNED p$i " . json_encode($held["p$i"]));
    if (mt_rand(0, 3) === 0) P::set("p$i", make("p$i", $n)) || print('');
    $key = 'v' . mt_rand(0, 999);
    $v = $held[$key] = V::get($key);
    if ($v !== null && !good($v, $key)) die("VOLATILE $key");
    V::set($key, make($key, $n), $n % 3);
    if (mt_rand(0, 7) === 0) V::delete('v' . mt_rand(0, 999));
    $key = 'r' . mt_rand(0, 49);
    if (!good(V::remember($key, fn () => make($key, $n), 1), $key)) die("REMEMBERED $key");
    P::increment('count');
}
foreach ($held as $key => $v) if ($v !== null && !good($v, $key)) die("HELD $key");
echo 'ok';
PHP);
if (($answer = fastcgi($fpm->socket('www'), $fill)) !== 'ok') die("not filled: $answer");

/* Sends 300 requests. Returns the 10th percentile and the maximum of their times in ms. (The median would depend on other programs.) */
$speed = function () use ($fpm, $work): array {
    for ($i = 0; $i < 300; $i++) {
        $start = hrtime(true);
        $answer = fastcgi($fpm->socket('www'), $work, (string) $i);
        $answer === 'ok' || print("alone: $answer\n");
        $times[] = (hrtime(true) - $start) / 1e6;
    }
    sort($times);
    return [$times[30], $times[299]];
};
$speed(); /* fills the volatile store */
[$before] = $speed();

/* Each client reports the results of its requests: right, lost with its worker, late (hung), or wrong. */
$tell = [];
for ($c = 0; $c < CLIENTS; $c++) {
    $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pids[$c] = pcntl_fork()) === 0) {
        $end = microtime(true) + 600 + $kills;
        for ($i = $c * 1000000; microtime(true) < $end; $i++) {
            $answer = fastcgi($fpm->socket('www'), $work, (string) $i);
            fwrite($pair[1], ($answer === 'ok' ? 'o' : ($answer === null || $answer === '' ? 'l' : ($answer === false ? 'h' : "w$answer"))) . "\n");
        }
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($pair[1]);
    stream_set_blocking($pair[0], false);
    $tell[$c] = $pair[0];
}
$seen = ['o' => 0, 'l' => 0, 'h' => 0, 'w' => 0];
$wrong = [];
$listen = function (float $seconds) use (&$tell, &$seen, &$wrong): void {
    $end = microtime(true) + $seconds;
    do {
        $read = $tell;
        $none = null;
        stream_select($read, $none, $none, 0, max(0, min(20000, (int) (($end - microtime(true)) * 1e6))));
        foreach ($read as $stream) {
            while (($line = fgets($stream)) !== false) {
                $seen[$line[0]]++;
                $line[0] === 'w' && $wrong[] = trim($line);
            }
        }
    } while (microtime(true) < $end);
};
$rate = function (float $seconds) use ($listen, &$seen): float {
    $before = $seen['o'];
    $listen($seconds);
    return ($seen['o'] - $before) / $seconds;
};

$rate_before = $rate(1.0);
$start = microtime(true);
for ($killed = 0; $killed < $kills && microtime(true) < $start + 120 + $kills;) {
    $workers = $fpm->workers('www');
    if ($workers && $fpm->kill($workers[array_rand($workers)])) {
        $killed++;
    }
    $listen(mt_rand(0, 4) === 0 ? 0.001 : mt_rand(5, 40) / 1000); /* after a short pause, kill some workers while they start */
}
while ($seen['o'] <= 10 * $kills && microtime(true) < $start + 300 + $kills) {
    $listen(0.1); /* a busy machine needs longer for enough right answers */
}
$took = microtime(true) - $start;
$rate_after = $rate(1.0);
foreach ($pids as $pid) {
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}
[$after, $slowest] = $speed();
$report = sprintf("%d kills in %.1f s: %d right answers, %d wrong, %d late, %d lost with their worker; %.0f/s before, %.0f/s after; one client: %.2f ms before, %.2f ms after, slowest %.0f ms; %s\n",
    $killed, $took, $seen['o'], $seen['w'], $seen['h'], $seen['l'], $rate_before, $rate_after, $before, $after, $slowest, fastcgi($fpm->socket('www'), $all));
if ($file = getenv('LARDER_REPORT')) {
    file_put_contents($file, $report . $fpm->run('www', '$i = P::info(); $v = V::info(); echo "recoveries: pinned $i->recoveries, volatile $v->recoveries; evicted $v->evictions, pinned refusals $i->refusals\n";'), FILE_APPEND);
}

var_dump($killed === $kills, $seen['o'] > 10 * $kills, array_unique($wrong), $seen['h']);
echo fastcgi($fpm->socket('www'), $all), "\n";
var_dump($seen['l'] <= 3 * $kills ?: $report); /* a kill loses the request of its worker, but no request in the backlog */
var_dump($fpm->said('www'));
--EXPECT--
bool(true)
bool(true)
array(0) {
}
int(0)
lost 0 of 64
bool(true)
string(0) ""
