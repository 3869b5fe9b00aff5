--TEST--
larder: adapters: a Symfony application on cache.adapter.apcu answers right while its workers are killed and its cache is full
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip();
getenv('LARDER_ADAPTERS') || die('skip runs from php/adapters/run.sh, which installs Symfony');
?>
--FILE--
<?php
/* LARDER_KILLS=300 makes the test longer. LARDER_REPORT=FILE writes the measurements to FILE. */
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/fastcgi.php';

const CLIENTS = 3;
$kills = (int) (getenv('LARDER_KILLS') ?: 40);
$var = sys_get_temp_dir() . '/larder-application-' . getmypid();
register_shutdown_function(fn (int $owner) => getmypid() === $owner && exec('rm -rf ' . escapeshellarg($var)), getmypid());

/* Workers run as another user, which may not have access to this folder. */
exec(sprintf('mkdir -m 777 %1$s && cp -r %2$s/../../build/adapters/vendor %2$s/application/index.php %1$s && chmod -R a+rX %1$s', ...array_map('escapeshellarg', [$var, getenv('LARDER_ADAPTERS')])));

$settings = ['larder.compat' => 'apcu', 'apc.enable_cli' => 0, 'apc.shm_size' => '2M'];
foreach (['mbstring', 'ctype', 'tokenizer'] as $extension) {
    is_file($file = ini_get('extension_dir') . "/$extension.so") && $settings[] = "extension=$file";
}
$fpm = fpm(['app' => ['pm.max_children' => 3, 'chdir' => $var]], $settings);
$get = fn (string $path) => fastcgi($fpm->socket('app'), "$var/index.php", $path);

echo $get('pools'), "\n"; /* also builds the container */
echo $get('work/1'), "\n";

/* Sends requests until a SIGTERM, and counts results: right, lost with its worker, late, or wrong. */
function client(callable $get, int $first, $tell): never
{
    $seen = ['ok' => 0, 'lost' => 0, 'late' => 0, 'wrong' => []];
    $end = false;
    pcntl_async_signals(true);
    pcntl_signal(SIGTERM, function () use (&$end) { $end = true; });
    for ($i = $first; !$end; $i++) {
        $answer = $get("work/$i");
        if ($answer === 'ok' || $answer === null || $answer === '' || $answer === false) {
            $seen[$answer === 'ok' ? 'ok' : ($answer === false ? 'late' : 'lost')]++;
        } else {
            $seen['wrong'][] = substr($answer, 0, 2000);
        }
    }
    fwrite($tell, json_encode($seen));
    posix_kill(getmypid(), SIGKILL); /* end without running destructors and shutdown functions */
}
for ($c = 0; $c < CLIENTS; $c++) {
    [$tell[$c], $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pids[$c] = pcntl_fork()) === 0) {
        client($get, ($c + 1) * 1000000, $theirs);
    }
    fclose($theirs);
}

usleep(500000);
for ($killed = 0, $end = microtime(true) + 120 + 5 * $kills; $killed < $kills && microtime(true) < $end;) {
    $workers = $fpm->workers('app');
    $killed += $workers && $fpm->kill($workers[array_rand($workers)]);
    usleep(mt_rand(0, 4) === 0 ? 2000 : mt_rand(30000, 200000));
}
usleep(500000);
$seen = ['ok' => 0, 'lost' => 0, 'late' => 0, 'wrong' => []];
foreach ($pids as $c => $pid) {
    posix_kill($pid, SIGTERM);
    foreach (json_decode(stream_get_contents($tell[$c]), true) as $what => $count) {
        $seen[$what] = is_array($count) ? [...$seen[$what], ...$count] : $seen[$what] + $count;
    }
    pcntl_waitpid($pid, $status);
}
$info = json_decode($fpm->run('app', 'echo json_encode(apcu_cache_info(true) + apcu_sma_info(true));'), true);
if ($file = getenv('LARDER_REPORT')) {
    file_put_contents($file, sprintf("%d workers killed: %d right answers, %d wrong, %d late, %d lost with their worker; %d entries of %d bytes, %d evicted\n",
        $killed, $seen['ok'], count($seen['wrong']), $seen['late'], $seen['lost'], $info['num_entries'], $info['mem_size'], $info['expunges']), FILE_APPEND);
}
var_dump($killed === $kills, $seen['ok'] > $kills, $seen['late'], array_unique($seen['wrong']), $seen['lost'] <= 3 * $kills);
var_dump($info['expunges'] > 0, $info['num_entries'] > 0, $get('work/2'), $fpm->said('app'));
?>
--EXPECT--
app: Symfony\Component\Cache\Adapter\ApcuAdapter
system: Symfony\Component\Cache\Adapter\ApcuAdapter
tags: Symfony\Component\Cache\Adapter\ApcuAdapter
ok
bool(true)
bool(true)
int(0)
array(0) {
}
bool(true)
bool(true)
bool(true)
string(2) "ok"
string(0) ""
