<?php

/*
 * Measures an observation by promphp/prometheus_client_php: with Larder's storage, and with the library's own storages for APCu and Redis.
 * The figures are CPU time (for Redis including the server's) and wall time, medians of interleaved rounds. Starts a redis-server of its
 * own on a unix socket. LARDER_PROMETHEUS: the folder of the library.
 *   LARDER_PROMETHEUS=DIR php -n -d extension=apcu -d extension=redis -d extension=igbinary -d apc.enable_cli=1 \
 *       -d extension=php/modules/larder.so bench/lib/metrics.php [ROUNDS]
 */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

use Larder\Metrics\PrometheusStorage;
use Prometheus\CollectorRegistry;
use Prometheus\Histogram;
use Prometheus\Storage\APC;
use Prometheus\Storage\APCng;
use Prometheus\Storage\Redis as RedisStorage;

require dirname(__DIR__) . '/php/conductor.php';

const OBSERVATIONS = 2000;

$library = getenv('LARDER_PROMETHEUS') ?: fail("metrics.php: LARDER_PROMETHEUS must name the folder of promphp/prometheus_client_php\n");
spl_autoload_register(static function (string $class) use ($library): void {
    $file = str_starts_with($class, 'Prometheus\\')
        ? "$library/src/" . strtr($class, '\\', '/') . '.php'
        : __DIR__ . '/../../packages/php/src/' . strtr(substr($class, strlen('Larder\\')), '\\', '/') . '.php';
    is_file($file) && require $file;
});

function histogram(Prometheus\Storage\Adapter $storage): Histogram
{
    $storage->wipeStorage();
    return (new CollectorRegistry($storage, false))->getOrRegisterHistogram('shop', 'seconds', 'Seconds', ['path'], [0.1, 0.5, 1, 5]);
}

$folder = sys_get_temp_dir() . '/larder-metrics-' . getmypid();
mkdir($folder);
$socket = "$folder/redis.sock";
$server = proc_open(['redis-server', '--port', '0', '--unixsocket', $socket, '--save', '', '--dir', $folder], [1 => ['file', '/dev/null', 'w']], $pipes);
register_shutdown_function(static function () use ($server, $folder): void {
    proc_terminate($server, 9);
    proc_close($server);
    array_map('unlink', glob("$folder/*") ?: []);
    rmdir($folder);
});
for ($tries = 0; !file_exists($socket) && $tries < 6000; $tries++) {
    usleep(10000);
}
$histograms = [
    'Larder' => histogram(new PrometheusStorage()),
    'APCu (APC)' => histogram(new APC()),
    'APCu (APCng)' => histogram(new APCng()),
    'Redis' => histogram(new RedisStorage(['host' => $socket, 'port' => 0])),
];
/** Returns the nanoseconds of CPU time that the server has used. */
$served = static fn(): float => (float) strtok((string) file_get_contents('/proc/' . proc_get_status($server)['pid'] . '/schedstat'), ' ');
$cpu = $wall = [];
for ($round = 0; $round < (int) ($argv[1] ?? 9); $round++) {
    foreach ($histograms as $name => $histogram) {
        $count = $name === 'Redis' ? OBSERVATIONS / 10 : OBSERVATIONS;
        [$from, $begin] = [cpu() + $served(), hrtime(true)];
        for ($i = 0; $i < $count; $i++) {
            $histogram->observe(0.3, ['/']);
        }
        $cpu[$name][] = (cpu() + $served() - $from) / $count;
        $wall[$name][] = (hrtime(true) - $begin) / $count;
    }
}
foreach ($histograms as $name => $_) {
    printf(
        "%-14s %9.0f ns CPU  %6.1f times Larder   %9.0f ns  %6.1f times Larder\n",
        $name,
        median($cpu[$name]),
        median($cpu[$name]) / median($cpu['Larder']),
        median($wall[$name]),
        median($wall[$name]) / median($wall['Larder']),
    );
}
