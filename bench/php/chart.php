<?php

/*
 * chart.php - measures the figures of docs/chart.svg, and those about fetches in README.md.
 *
 *   php -n bench/php/chart.php
 *
 * - An array of 1,000 strings and one of 1,000 objects are fetched from Larder, APCu, Redis and memcached, other values only from Larder
 *   and APCu. The systems take turns.
 * - A figure is the CPU time of the fetching process without the loop and the server. It is the minimum of all rounds, because other work
 *   can only make a round slower.
 * - For each system and value, the fastest of its serializers is shown.
 */

declare(strict_types=1);

final class Price
{
    public function __construct(public int $amount, public string $currency) {}
}
final class Item
{
    public function __construct(public int $id, public string $name, public Price $price) {}
}

const ROUNDS = 9;
const RUN_US = 40000.0;
const STRINGS = 'array of 1,000 strings';

/** Return the values by title. The chart (bench/Picture.php) shows the first two. */
function values(): array
{
    return [
        STRINGS => array_combine(array_map(fn(int $i): string => "key $i", range(1, 1000)), array_map(fn(int $i): string => "value $i", range(1, 1000))),
        '1,000 objects, each with one inside' => array_map(fn(int $i): Item => new Item($i, "item $i", new Price($i, 'EUR')), range(1, 1000)),
        'int' => 42,
        'string of 100,000 bytes' => str_repeat('s', 100000),
        '5,000 nested arrays' => array_map(fn(int $i): array => ['id' => $i, 'name' => "name of $i", 'price' => $i / 4, 'active' => $i % 2 === 0], range(1, 5000)),
    ];
}

/** Return the microseconds of a fetch for each value. eval() puts the call directly into the loop, as in a real program. */
function measure(string $system, string $serializer, string $folder): array
{
    $larder = $apcu = $redis = $memcached = null;
    if ($system === 'Redis') {
        $redis = new Redis();
        $redis->connect("$folder/redis");
        $redis->setOption(Redis::OPT_SERIALIZER, constant('Redis::SERIALIZER_' . strtoupper($serializer)));
    } elseif ($system === 'memcached') {
        $memcached = new Memcached();
        $memcached->addServer("$folder/memcached", 0);
        $memcached->setOptions([Memcached::OPT_COMPRESSION => false, Memcached::OPT_SERIALIZER => constant('Memcached::SERIALIZER_' . strtoupper($serializer))]);
    }
    [$set, $call] = match ($system) {
        'Larder' => ['Larder\VolatileCache::set($key, $value)', 'Larder\VolatileCache::get($key)'],
        'APCu' => ['apcu_store($key, $value)', 'apcu_fetch($key)'],
        'Redis' => ['$redis->set($key, $value)', '$redis->get($key)'],
        'memcached' => ['$memcached->set($key, $value)', '$memcached->get($key)'],
        'loop' => ['null', '$value'],
    };
    $loop = eval("return static function (int \$n, string \$key, mixed \$value) use (\$redis, \$memcached): mixed { for (\$i = 0; \$i < \$n; \$i++) { \$found = $call; } return \$found; };");
    $store = eval("return static function (string \$key, mixed \$value) use (\$redis, \$memcached): mixed { return $set; };");
    $cpu = function (): float {
        $r = getrusage();
        return ($r['ru_utime.tv_sec'] + $r['ru_stime.tv_sec']) * 1e6 + $r['ru_utime.tv_usec'] + $r['ru_stime.tv_usec'];
    };
    $times = [];
    foreach (array_slice(values(), 0, $redis || $memcached ? 2 : null) as $title => $value) {
        $key = 'configuration.database.' . strlen($title);
        $store($key, $value);
        $loop(1, $key, $value) == $value || throw new Exception("$system gives something else");
        for ($n = 1, $spent = 0.0; $spent < RUN_US; $n *= 2) {
            $start = $cpu();
            $loop($n, $key, $value);
            $spent = $cpu() - $start;
        }
        $times[$title] = $spent / ($n / 2);
    }
    return $times;
}

if (($argv[1] ?? '') === '--measure') {
    echo json_encode(measure($argv[2], $argv[3], $argv[4])), "\n";
    exit;
}

$extensions = [];
foreach (['apcu', 'igbinary', 'msgpack', 'redis', 'memcached'] as $extension) {
    if (is_file(ini_get('extension_dir') . "/$extension.so")) {
        array_push($extensions, '-d', "extension=$extension");
    }
}
$php = [PHP_BINARY, '-n', '-d', 'extension=' . dirname(__DIR__, 2) . '/php/modules/larder.so', ...$extensions, '-d', 'apc.enable_cli=1', '-d', 'apc.shm_size=64M', '-d', 'memory_limit=512M'];
$run = function (array $more, string ...$arguments) use ($php): string {
    $process = proc_open([...$php, ...$more, ...$arguments], [1 => ['pipe', 'w']], $pipes);
    $text = (string) stream_get_contents($pipes[1]);
    proc_close($process) === 0 || throw new Exception('failed: ' . implode(' ', $arguments));
    return $text;
};
$has = fn(string $constant): bool => $run([], '-r', "echo (int) defined('$constant');") === '1';
$ways = ['loop' => ['']] + ['Larder' => ['']];
$ways['APCu'] = array_values(array_filter(['default', 'php', 'igbinary', 'msgpack'], fn(string $name): bool => !in_array($name, ['igbinary', 'msgpack'], true) || in_array("extension=$name", $extensions, true)));
foreach (['memcached' => 'Memcached', 'Redis' => 'Redis'] as $system => $class) {
    $ways[$system] = array_values(array_filter(['php', 'igbinary', 'msgpack'], fn(string $name): bool => $has("$class::SERIALIZER_" . strtoupper($name))));
}

$folder = sys_get_temp_dir() . '/larder-chart-' . getmypid();
mkdir($folder, 0700);
$null = [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']];
$servers = [
    proc_open(['redis-server', '--port', '0', '--unixsocket', "$folder/redis", '--save', '', '--dir', $folder], $null, $pipes),
    proc_open(['memcached', '-u', 'root', '-s', "$folder/memcached", '-I', '8m'], $null, $pipes),
];
register_shutdown_function(function () use ($servers, $folder) {
    array_map('proc_terminate', $servers);
    array_map('proc_close', $servers);
    exec('rm -rf ' . escapeshellarg($folder));
});
for ($end = microtime(true) + 20; !(file_exists("$folder/redis") && file_exists("$folder/memcached")) && microtime(true) < $end;) {
    usleep(20000);
}
$times = [];
for ($round = 0; $round < ROUNDS; $round++) {
    foreach ($ways as $system => $serializers) {
        foreach ($serializers as $serializer) {
            $settings = $system === 'APCu' ? ['-d', "apc.serializer=$serializer"] : [];
            foreach (json_decode($run($settings, __FILE__, '--measure', $system, $serializer, $folder), true) as $title => $us) {
                $times[$title][$system][$serializer][] = $us;
            }
        }
    }
}
$result = $chosen = [];
foreach ($times as $title => $systems) {
    $empty = min($systems['loop']['']);
    unset($systems['loop']);
    foreach ($systems as $system => $serializers) {
        $least = array_map(fn(array $all): float => min($all) - $empty, $serializers);
        asort($least);
        $result[$title][$system] = reset($least);
        $chosen[$system][key($least)] = true;
    }
}

foreach ($result as $title => $systems) {
    foreach ($systems as $system => $us) {
        printf("%-38s %-10s %12s ns\n", $title, $system, number_format($us * 1000));
    }
}
$project = dirname(__DIR__, 2);
require "$project/bench/Results.php";
Bench\Results::put('fetches', [
    'command' => 'make chart', 'php' => PHP_VERSION, 'rounds' => ROUNDS, 'unit' => 'CPU ns of the fetching process, least of all rounds, quickest serializer',
    'serializers' => array_map(array_keys(...), array_diff_key($chosen, ['Larder' => 0])),
    'ns' => array_map(fn(array $systems): array => array_map(fn(float $us): float|int => Bench\Results::round($us * 1000), $systems), $result),
]);
passthru(PHP_BINARY . ' ' . escapeshellarg("$project/tools/figures.php") . ' --write', $status);
exit($status);
