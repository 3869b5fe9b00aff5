<?php

/* run.php - compares the hit rates of caches of the same size, which get the same requests for the same values. A missing value is made and
 * stored.
 *
 *   php bench/hits/run.php [--requests=N] [--only=CACHE,...] [--module=FILE]
 *
 * - The caches are Larder with its defaults, Larder with larder.form = packed, and APCu, memcached and Redis with igbinary. The clients of
 *   memcached and Redis compress values.
 * - The first quarter of a trace (Traces.php) fills the cache and does not count.
 * - The CPU time of a request is that of PHP and of the cache's server, without the benchmark's own work.
 * - The total times assume that making a missing value (Values.php) takes 0.2, 1 or 5 ms.
 * - About one of 61 hits is compared with a newly made value, and the benchmark fails if they differ.
 * - The figures go into bench/results.json. */

declare(strict_types=1);

use Bench\Hits\Traces;
use Bench\Results;
use Servers\Child;
use Servers\Folder;
use Servers\Programs;
use Servers\RedisServer;

$project = dirname(__DIR__, 2);
require "$project/tools/servers/autoload.php";
require dirname(__DIR__) . '/php/conductor.php';
require dirname(__DIR__) . '/fail.php';
require dirname(__DIR__) . '/Results.php';
require __DIR__ . '/Traces.php';

const MIXES = ['site', 'rows'];
const MEGABYTES = [16, 64];
const BATCH = 50; // keys that one web request reads
const MISSES_MS = ['0.2', '1', '5'];
const EXTENSIONS = ['larder' => [], 'packed' => [], 'apcu' => ['igbinary', 'apcu'], 'memcached' => ['igbinary', 'msgpack', 'memcached'], 'redis' => ['igbinary', 'redis']];

/** @return list<string> settings of php.ini */
function settings(string $cache, int $megabytes, string $module): array
{
    return ['zend_extension=opcache', 'memory_limit=512M', ...array_map(fn(string $name): string => "extension=$name", EXTENSIONS[$cache] ?? []), ...match ($cache) {
        'larder' => ["extension=$module", "larder.volatile_size={$megabytes}M"],
        'packed' => ["extension=$module", "larder.volatile_size={$megabytes}M", 'larder.form=packed'],
        'apcu' => ["apc.shm_size={$megabytes}M", 'apc.serializer=igbinary'],
        default => [],
    }];
}

function server(string $cache, int $megabytes, string $folder): ?Child
{
    if ($cache === 'redis') {
        $server = RedisServer::start($folder);
        $redis = redis_client(RedisServer::socket($folder));
        $redis->config('SET', 'maxmemory', "{$megabytes}mb");
        $redis->config('SET', 'maxmemory-policy', 'allkeys-lru');
        return $server;
    }
    if ($cache !== 'memcached') {
        return null;
    }
    $server = Child::start([Programs::path('memcached'), '-u', (string) (posix_getpwuid(posix_geteuid())['name'] ?? 'root'), '-s', "$folder/memcached.sock", '-m', (string) $megabytes, '-t', '1'], fopen("$folder/memcached.log", 'a'));
    $server->accepts("unix://$folder/memcached.sock", 'memcached', "$folder/memcached.log");
    return $server;
}

/** Replays a trace. Returns the hits in %, the CPU time of PHP and the server in us per request, and the numbers of compared and of wrong
 * values. */
function replay(string $cache, string $mix, int $megabytes, string $trace, int $requests, string $module, string $folder): array
{
    $server = $php = null;
    $socket = $cache === 'redis' ? RedisServer::socket($folder) : "$folder/memcached.sock";
    try {
        $server = server($cache, $megabytes, $folder);
        putenv('HITS=' . json_encode(['store' => $cache, 'socket' => $socket, 'mix' => $mix, 'trace' => $trace]));
        $port = Folder::freePort();
        $php = Child::start(php_command(settings($cache, $megabytes, $module), '-q', '-S', "127.0.0.1:$port", __DIR__ . '/serve.php'), fopen("$folder/php.log", 'a'));
        $php->accepts("tcp://127.0.0.1:$port", 'PHP', "$folder/php.log");
        $cpu = fn(): float => $php->cpu() + ($server?->cpu() ?? 0.0);
        $begin = intdiv($requests, 4 * BATCH) * BATCH;
        $hits = $wrong = $compared = $before = 0;
        $making = 0.0;
        for ($at = 0; $at < $requests; $at += BATCH) {
            if ($at === $begin) {
                [$hits, $making, $before] = [0, 0.0, $cpu()];
            }
            $answer = json_decode((string) @file_get_contents("http://127.0.0.1:$port/?at=$at&count=" . BATCH), true);
            is_array($answer) || throw new RuntimeException("$cache: a request failed\n" . file_get_contents("$folder/php.log"));
            $answer[1] === 0 || throw new RuntimeException("$cache refused to store a value");
            $hits += $answer[0];
            $wrong += $answer[2];
            $compared += $answer[3];
            $making += $answer[4];
        }
        $counted = $requests - $begin;
        return ['hits' => $hits / $counted * 100, 'cpu_us' => ($cpu() - $before - $making) / $counted * 1e6, 'compared' => $compared, 'wrong' => $wrong];
    } finally {
        $php?->stop();
        $server?->stop();
        array_map(unlink(...), array_filter([$socket], file_exists(...)));
    }
}

$options = getopt('', ['requests:', 'only:', 'module:']);
$requests = (int) ($options['requests'] ?? 60000);
$requests >= 4 * BATCH || fail('--requests: at least ' . 4 * BATCH . "\n");
$module = $options['module'] ?? getenv('LARDER_MODULE') ?: "$project/php/modules/larder.so";
$caches = isset($options['only']) ? explode(',', $options['only']) : array_keys(EXTENSIONS);
array_diff($caches, array_keys(EXTENSIONS)) === [] || fail('--only: some of ' . implode(', ', array_keys(EXTENSIONS)) . "\n");
foreach ([$module, ...array_map(Programs::extension(...), array_merge(...array_map(fn(string $cache): array => EXTENSIONS[$cache], $caches)))] as $file) {
    is_file($file) || exit("hits: skipped: $file is missing (tools/setup.sh bench installs extensions and servers; make php builds Larder)\n");
}
$folder = Folder::make('larder-hits');
$cells = [];
$compared = $wrong = 0;
try {
    printf("%-22s%s\n", 'hits in %', implode('', array_map(fn(string $cache): string => sprintf('%11s', $cache), $caches)));
    foreach (Traces::NAMES as $name) {
        $trace = "$folder/$name";
        file_put_contents($trace, pack('V*', ...Traces::make($name, $requests)));
        $nothing = replay('nothing', 'site', 0, $trace, $requests, $module, $folder);
        foreach (MIXES as $mix) {
            foreach (MEGABYTES as $megabytes) {
                $cell = "$name, $mix, $megabytes MB";
                printf('%-22s', $cell);
                foreach ($caches as $cache) {
                    $found = replay($cache, $mix, $megabytes, $trace, $requests, $module, $folder);
                    $compared += $found['compared'];
                    $wrong += $found['wrong'];
                    $cells[$cell][$cache] = ['hits' => round($found['hits'], 1), 'cpu_us' => Results::round(max(0.1, $found['cpu_us'] - $nothing['cpu_us']))];
                    printf('%11.1f', $found['hits']);
                }
                echo "\n";
            }
        }
    }
} finally {
    Folder::remove($folder);
}
$means = [];
printf("\n%-10s%10s%12s%s\n", 'mean', 'hits, %', 'CPU, us', implode('', array_map(fn(string $ms): string => sprintf('%16s', "miss of $ms ms"), MISSES_MS)));
foreach ($caches as $cache) {
    $of = array_column($cells, $cache);
    $hits = array_sum(array_column($of, 'hits')) / count($of);
    $cpu = array_sum(array_column($of, 'cpu_us')) / count($of);
    $means[$cache] = ['hits' => round($hits, 1), 'cpu_us' => Results::round($cpu)];
    foreach (MISSES_MS as $ms) {
        $means[$cache]['us_at_miss_of'][$ms] = Results::round($cpu + (1 - $hits / 100) * (float) $ms * 1000);
    }
    printf("%-10s%10.1f%12.1f%s\n", $cache, $hits, $cpu, implode('', array_map(fn(float|int $us): string => sprintf('%16s', $us), $means[$cache]['us_at_miss_of'])));
}
printf("\n%s hits were compared with a new value, %s were wrong\n", number_format($compared), number_format($wrong));
if ($wrong > 0 || $compared === 0) {
    fail("hits: some values were wrong, or none was compared\n");
}
if (Results::whole($options)) {
    Results::put('hits_at_equal_memory', ['command' => 'make bench-hits', 'requests' => $requests, 'means' => $means, 'cells' => $cells]);
}
