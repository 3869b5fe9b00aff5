<?php

/*
 * The one chart: a fetch of an array of 1,000 strings and of 1,000 objects from Larder, APCu, Redis and memcached, CPU time of
 * the process that fetches (the servers' is not counted), medians of interleaved rounds. Each value is compared with
 * the original. Writes docs/chart.svg and prints the figures.
 *   php -n bench/php/chart.php [FILE]
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

if (!extension_loaded('larder')) { // once more, with all of them
    $folder = ini_get('extension_dir');
    $settings = ['-n', '-d', 'extension=' . dirname(__DIR__, 2) . '/php/modules/larder.so', '-d', 'apc.enable_cli=1', '-d', 'apc.shm_size=64M', '-d', 'memory_limit=512M'];
    foreach (['apcu', 'igbinary', 'msgpack', 'redis', 'memcached'] as $extension) {
        if (is_file("$folder/$extension.so")) {
            array_push($settings, '-d', "extension=$extension");
        }
    }
    passthru(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, ...$settings, __FILE__, ...array_slice($argv, 1)])), $code);
    exit($code);
}

$folder = sys_get_temp_dir() . '/larder-chart-' . getmypid();
mkdir($folder, 0700);
$servers = [
    proc_open(['redis-server', '--port', '0', '--unixsocket', "$folder/redis", '--save', '', '--dir', $folder], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes),
    proc_open(['memcached', '-u', 'root', '-s', "$folder/memcached", '-I', '8m'], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes),
];
register_shutdown_function(function () use ($servers, $folder) {
    array_map('proc_terminate', $servers);
    array_map('proc_close', $servers);
    exec('rm -rf ' . escapeshellarg($folder));
});
for ($end = microtime(true) + 20; !(file_exists("$folder/redis") && file_exists("$folder/memcached")) && microtime(true) < $end;) {
    usleep(20000);
}
$redis = new Redis();
$redis->connect("$folder/redis");
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_IGBINARY);
$memcached = new Memcached();
$memcached->addServer("$folder/memcached", 0);
$memcached->setOptions([Memcached::OPT_COMPRESSION => false, Memcached::OPT_SERIALIZER => Memcached::SERIALIZER_IGBINARY]);
$caches = [
    'Larder' => [fn($k, $v) => Larder\VolatileCache::set($k, $v), fn($k) => Larder\VolatileCache::get($k)],
    'APCu' => [fn($k, $v) => apcu_store($k, $v), fn($k) => apcu_fetch($k)],
    'memcached' => [fn($k, $v) => $memcached->set($k, $v), fn($k) => $memcached->get($k)],
    'Redis' => [fn($k, $v) => $redis->set($k, $v), fn($k) => $redis->get($k)],
];
$values = [
    'array of 1,000 strings' => array_map(fn(int $i): string => "this is string number $i of all", range(1, 1000)),
    '1,000 objects, each with one inside' => array_map(fn(int $i): Item => new Item($i, "item $i", new Price($i, 'EUR')), range(1, 1000)),
];
$cpu = function (): float {
    $r = getrusage();
    return ($r['ru_utime.tv_sec'] + $r['ru_stime.tv_sec']) * 1e6 + $r['ru_utime.tv_usec'] + $r['ru_stime.tv_usec'];
};
$median = function (array $numbers): float {
    sort($numbers);
    return $numbers[intdiv(count($numbers), 2)];
};
$result = [];
foreach ($values as $title => $value) {
    $times = [];
    $key = 'key:' . md5($title);
    foreach ($caches as $name => [$set, $get]) {
        $set($key, $value);
        $get($key) == $value || throw new Exception("$name gives something else");
    }
    for ($round = 0; $round < 9; $round++) {
        foreach ($caches as $name => [, $get]) {
            $times[$name][] = (function () use ($get, $key, $cpu): float {
                /* As often as takes 60 ms of CPU time, whatever it costs. */
                for ($n = 1, $spent = 0.0; $spent < 60000; $n *= 2) {
                    $start = $cpu();
                    for ($i = 0; $i < $n; $i++) {
                        $found = $get($key);
                    }
                    $spent = $cpu() - $start;
                }
                count($found) === 1000 || throw new Exception('a miss');
                return $spent / ($n / 2);
            })();
        }
    }
    foreach ($times as $name => $all) {
        $result[$title][$name] = $median($all);
    }
}

/* Bars on a logarithmic scale would hide it: linear, with the ratio in large type. */
$number = fn(float $us): string => $us < 1 ? round($us * 1000) . ' ns' : ($us < 100 ? number_format($us, 1) : number_format($us)) . ' µs';
$svg = '';
$y = 60;
foreach ($result as $title => $times) {
    $best = $times['Larder'];
    $svg .= "<text x=\"24\" y=\"$y\" class=\"t\">Fetch: $title</text>";
    $y += 16;
    $most = max($times);
    foreach ($times as $name => $us) {
        $width = max(2, round(420 * $us / $most, 1));
        $ratio = $us / $best;
        $text = $name === 'Larder' ? '' : ($ratio >= 10 ? number_format($ratio) : number_format($ratio, 1)) . ' ×';
        $svg .= sprintf('<text x="110" y="%d" class="n" text-anchor="end">%s</text><rect x="122" y="%d" width="%s" height="26" rx="4" class="%s"/><text x="%s" y="%d" class="v">%s</text><text x="736" y="%d" class="r" text-anchor="end">%s</text>', $y + 19, $name, $y, $width, $name === 'Larder' ? 'l' : 'o', 132 + $width, $y + 19, $number($us), $y + 21, $text);
        printf("%-38s %-10s %10s  %s\n", $title, $name, $number($us), $text);
        $y += 34;
    }
    $y += 34;
}
$height = $y + 6;
$version = 'PHP ' . PHP_VERSION . ', APCu ' . phpversion('apcu') . ' (default serializer), igbinary for Redis and memcached over unix sockets';
file_put_contents($argv[1] ?? dirname(__DIR__, 2) . '/docs/chart.svg', <<<SVG
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 $height" role="img" aria-label="CPU time of one fetch from Larder, APCu, memcached and Redis">
    <style>svg{background:#fff}text{font-family:system-ui,sans-serif;fill:#16202c}.h{font-size:20px;font-weight:700}.t{font-size:15px;font-weight:600}.n{font-size:15px}.v{font-size:14px}.r{font-size:24px;font-weight:700}.s{font-size:12px;fill:#5b6775}.l{fill:#1a7f4b}.o{fill:#9aa7b5}</style>
    <text x="24" y="30" class="h">CPU time of one fetch, and how many times Larder's it is</text>
    $svg
    <text x="24" y="{$y}" class="s">$version; make chart. Each answer checked.</text>
    </svg>

    SVG);
