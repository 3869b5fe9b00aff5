<?php

/* run.php - measures applications under nginx and php-fpm, or Puma, with 20 workers: requests per second, CPU time per request, p99, and
 * the memory of all workers. APPLICATIONS is the table of applications.
 *
 *   php bench/apps/run.php [--only=NAME,...] [--seconds=N] [--rounds=N] [--kills=N]
 *
 * - Each application runs with its framework's default cache, with APCu and igbinary (in Ruby, with a store in each worker's memory), with
 *   Redis over a Unix socket, and with Larder. It must give the same pages with each cache, even while workers are killed.
 * - Figures are medians of rounds. They go into bench/results.json if the pages are equal and no option except --only is given.
 * - Applications that are not installed are skipped. */

declare(strict_types=1);

use Bench\Results;
use Servers\Child;
use Servers\Folder;
use Servers\Killer;
use Servers\Memory;
use Servers\RedisServer;
use Servers\Site;
use Servers\Wrk;

$project = dirname(__DIR__, 2);
require "$project/tools/servers/autoload.php";
require dirname(__DIR__) . '/Results.php';
require __DIR__ . '/applications.php';

const CACHES = ['none', 'apcu', 'redis', 'larder'];
const WORKERS = 20;
const CONNECTIONS = 20;

function median(array $figures): float
{
    sort($figures);
    return (float) $figures[intdiv(count($figures), 2)];
}

/** Requests each page three times, so that the last answer can come from a warm cache. Returns the last answers. */
function pages(Site $web, array $paths, callable $normal): array
{
    $pages = [];
    for ($round = 0; $round < 3; $round++) {
        foreach ($paths as $path) {
            [$status, $text] = $web->ask($path);
            $pages[$path] = "$status " . $normal($text);
        }
    }
    return $pages;
}

function lastLine(string $file): string
{
    $lines = @file($file) ?: [''];
    return trim((string) end($lines));
}

/**
 * Runs wrk once. The CPU time is the sum for the workers and $servers (the cache's server and the database).
 *
 * @param list<Child> $servers
 */
function load(Site $web, array $servers, string $ends, int $seconds, ?callable $meanwhile = null): array
{
    $cpu = fn(): float => $web->settledCpu() + array_sum(array_map(fn(Child $server): float => $server->cpu(), $servers));
    $before = $cpu();
    $found = Wrk::run($web->url, __DIR__ . '/load.lua', [$ends], $seconds, CONNECTIONS, CONNECTIONS, $meanwhile);
    $used = $cpu() - $before;
    $right = (int) $found['right'];
    $found['first_wrong'] === '' || print("wrong: $found[first_wrong]\n");
    return [
        'right' => $right, 'wrong' => (int) $found['wrong'], 'lost' => (int) $found['gone'] + (int) $found['broken'] + (int) $found['late'],
        'per_second' => $right / ((float) $found['microseconds'] / 1e6), 'cpu_us' => $used / max(1, $right + (int) $found['wrong']) * 1e6, 'p99_ms' => (float) $found['p99'] / 1e3,
    ];
}

/** Settings of php.ini for a cache. */
function settings(string $cache, string $module): array
{
    return match ($cache) {
        'none', 'memory' => [],
        'apcu' => ['extension=igbinary', 'extension=apcu', 'apc.shm_size=128M', 'apc.serializer=igbinary'],
        'redis' => ['extension=igbinary', 'extension=redis'],
        'larder' => ["extension=$module", 'larder.volatile_size=128M'],
    };
}

/** @return array<string, array<string, mixed>> the figures by cache */
function measure(array $application, string $folder, array $options, string $module, int &$failed): array
{
    $seconds = (int) ($options['seconds'] ?? 2);
    $caches = $application['caches'] ?? CACHES;
    $sites = $servers = $samples = $figures = [];
    $database = null;
    try {
        $database = isset($application['before']) ? $application['before']($folder) : null;
        $servers['redis'] = RedisServer::start($folder, shared: true);
        foreach ($caches as $cache) {
            $sites[$cache] = $application['site']($folder, $cache, settings($cache, $module), RedisServer::socket($folder));
        }
        isset($application['fill']) && $application['fill']($sites);
        $all = array_map(fn(Site $web): array => pages($web, $application['pages'], $application['normal']), $sites);
        foreach ($all['none'] as $path => $page) {
            // A page that fails even with the default cache is a fault of the application, so measure nothing.
            str_starts_with($page, '200 ') || throw new RuntimeException("$path without a cache gives " . substr($page, 0, 100) . "\n" . lastLine("$folder/none/php.log"));
        }
        foreach ($all as $cache => $pages) {
            foreach ($pages as $path => $page) {
                if ($page !== $all['none'][$path]) {
                    $failed++;
                    $at = max(0, strspn($all['none'][$path] ^ $page, "\0") - 60); // begin 60 bytes before the first difference
                    echo "FAIL: with $cache $path differs:\n  ", substr($all['none'][$path], $at, 200), "\n  ", substr($page, $at, 200), "\n";
                    break;
                }
            }
        }
        $ends = "$folder/ends";
        file_put_contents($ends, implode('', array_map(fn(string $path): string => "$path\t" . addcslashes(substr((string) $sites['none']->get($path), -$application['tail']), "\n") . "\n", $application['pages'])));
        foreach ($sites as $cache => $web) {
            load($web, [], $ends, $application['warm'] ?? 4); // warm up each worker
        }
        for ($round = 0; $round < (int) ($options['rounds'] ?? 9); $round++) {
            foreach ($round % 2 ? array_reverse($caches) : $caches as $cache) {
                $samples[$cache][] = load($sites[$cache], array_filter([$servers[$cache] ?? null, $database]), $ends, $seconds);
            }
        }
        foreach ($caches as $cache) {
            $memory = Memory::proportional($sites[$cache]->workers());
            $killer = new Killer($sites[$cache]);
            $wanted = (int) ($options['kills'] ?? 20);
            $killed = load($sites[$cache], [], $ends, 2, fn() => $killer->kills < $wanted && $killer());
            usleep(500000);
            $after = pages($sites[$cache], $application['pages'], $application['normal']);
            $equal = $after === $all['none'];
            $wrong = array_sum(array_column($samples[$cache], 'wrong')) + $killed['wrong'];
            $failed += (int) (!$equal || $wrong !== 0);
            $figures[$cache] = [
                'requests_per_second' => Results::round(median(array_column($samples[$cache], 'per_second'))),
                'cpu_us' => Results::round(median(array_column($samples[$cache], 'cpu_us'))),
                'p99_ms' => Results::round(median(array_column($samples[$cache], 'p99_ms'))),
                'memory_mb' => Results::round($memory / 1e6),
                'kills' => $killer->kills, 'right' => $killed['right'], 'wrong' => $wrong, 'lost' => $killed['lost'], 'pages_equal' => $equal,
            ];
        }
    } finally {
        array_map(fn(Site $web) => $web->stop(), $sites);
        array_map(fn(Child $server) => $server->stop(), $servers);
        $database?->stop();
    }
    return $figures;
}

$options = getopt('', ['only:', 'seconds:', 'rounds:', 'kills:']);
$module = getenv('LARDER_MODULE') ?: "$project/php/modules/larder.so";
$failed = 0;
$done = Results::all()['applications']['figures'] ?? [];
foreach (APPLICATIONS as $name => $make) {
    if (isset($options['only']) && !in_array($name, explode(',', $options['only']), true)) {
        continue;
    }
    $application = $make($project);
    $missing = array_filter($application['needs'], fn(string $file): bool => !file_exists($file));
    if ($missing !== []) {
        echo "$name: skipped: missing: ", implode(', ', $missing), " (`make bench-apps`, that is tools/setup.sh bench-http, lib-apps and bench-rails, make ruby, and packages/php/tests/run.sh --install-only install them)\n";
        continue;
    }
    $folder = Folder::make('larder-bench-apps');
    $before = $failed;
    try {
        $figures = measure($application, $folder, $options, $module, $failed);
    } catch (RuntimeException $error) {
        $failed++;
        echo "FAIL: $name: ", $error->getMessage(), "\n";
        continue;
    } finally {
        getenv('LARDER_KEEP') ? print("kept: $folder\n") : exec('rm -rf ' . escapeshellarg($folder));
    }
    printf("%-12s%14s%16s%10s%14s   %s\n", $name, 'requests/s', 'CPU us/request', 'p99 ms', 'memory MB', 'workers killed: right, wrong, lost');
    foreach ($figures as $cache => $f) {
        printf("  %-10s%14s%16s%10s%14s   %d: %d, %d, %d%s\n", $cache, $f['requests_per_second'], $f['cpu_us'], $f['p99_ms'], $f['memory_mb'], $f['kills'], $f['right'], $f['wrong'], $f['lost'], $f['pages_equal'] ? '' : ' OTHER PAGES');
    }
    if ($failed === $before && Results::whole($options, 'only')) {
        $done[$name] = $figures;
        Results::put('applications', ['command' => 'make bench-apps', 'workers' => WORKERS, 'connections' => CONNECTIONS, 'figures' => $done]);
    }
}
exit($failed === 0 ? 0 : 1);
