<?php

/* Measures what the tier costs and saves.
 * - A local get is compared with a get of a plain pool.
 * - An application with 20 reads per request runs with the tier, with phpredis alone and with Larder alone. Commands at the server are
 *   counted.
 * - The last row is the time until another host sees a write, beside the time of a plain publish and subscribe on the same server.
 *
 *   php bench/hosts/run.php [--rounds=N] */

declare(strict_types=1);

use Larder\Cache\SimpleCache;
use Larder\Cache\Tiered\PhpRedisServer;
use Larder\Cache\Tiered\TieredStore;
use Larder\Tests\Tiered\Hosts;

$project = dirname(__DIR__, 2);
$lib = getenv('LARDER_LIB') ?: "$project/build/lib";
if (!is_file("$lib/vendor/predis/predis/src/Client.php")) {
    exit("bench-hosts: skipped: packages/php/tests/run.sh --install-only has not installed Predis\n");
}
$folder = extension_loaded('larder') ? '' : rtrim((string) shell_exec('php-config --extension-dir'));
if ($folder !== '') {
    $path = '/dev/shm/larder-bench-hosts-' . getmypid();
    mkdir($path, 0700);
    $command = [PHP_BINARY, '-n', '-d', "extension_dir=$folder"];
    foreach (['extension=posix', 'extension=igbinary', 'extension=redis', "extension=$project/php/modules/larder.so", "zend_extension=$folder/opcache.so", 'opcache.enable_cli=1', "larder.path=$path", 'larder.volatile_size=64M'] as $setting) {
        array_push($command, '-d', $setting);
    }
    $status = proc_close(proc_open([...$command, __FILE__, ...array_slice($argv, 1)], [STDIN, STDOUT, STDERR], $pipes));
    exec('rm -rf ' . escapeshellarg($path));
    exit($status);
}
$loader = require "$lib/vendor/autoload.php";
$loader->addPsr4('Larder\\Tests\\', "$project/packages/php/tests");
$rounds = (int) (getopt('', ['rounds:'])['rounds'] ?? 21);

function cpu(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
}

/** @param list<float> $times */
function percentile(array $times, float $share): float
{
    sort($times);
    return $times[(int) ((count($times) - 1) * $share)];
}

/** @param array<string, Closure(): void> $cases */
function measure(array $cases, int $rounds, int $times): array
{
    $figures = [];
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($round % 2 === 0 ? $cases : array_reverse($cases) as $name => $case) {
            $start = cpu();
            for ($i = 0; $i < $times; $i++) {
                $case();
            }
            $figures[$name][] = (cpu() - $start) / $times;
        }
    }
    return array_map(fn(array $all): float => percentile($all, 0.5), $figures);
}

function same(mixed $is, mixed $wanted): void
{
    $is === $wanted || throw new RuntimeException('a wrong value: ' . substr((string) json_encode($is), 0, 100));
}

function row(string $what, float $is, float $beside, string $of, float $limit, bool $least = false): void
{
    $ratio = $is / $beside;
    printf("%-44s %10.2f µs   %-28s %10.2f µs   %6.3fx   (at %s %sx)%s\n", $what, $is / 1e3, $of, $beside / 1e3, $ratio, $least ? 'least' : 'most', $limit, ($least ? $ratio >= $limit : $ratio <= $limit) ? '' : ' NOT REACHED');
}

$hosts = new Hosts();
$redis = new Redis();
$redis->connect($hosts->socket);
// Give larder-sync a higher priority than the other processes, as its systemd unit does. The reader below never sleeps, and would delay
// larder-sync.
$before = ['nice', '-n', '-5'];
exec(implode(' ', $before) . ' true 2>&1', $output, $status);
if ($status !== 0 || $output !== []) {
    echo "larder-sync may not have the priority of its systemd unit here: what is visible waits for the reader's time slice\n";
    $before = [];
}
$sync = proc_open([...$before, PHP_BINARY, '-n', '-d', 'extension_dir=' . ini_get('extension_dir'), '-d', "extension=$project/php/modules/larder.so", '-d', 'larder.path=' . ini_get('larder.path'), '-d', 'larder.volatile_size=64M',
    "$project/packages/php/bin/larder-sync", '--name=test', "--server=unix:$hosts->socket"], [['pipe', 'r'], STDERR, STDERR], $pipes, null, ['LARDER_AUTOLOAD' => "$lib/vendor/autoload.php"] + getenv());
register_shutdown_function(static function () use ($sync): void {
    proc_terminate($sync);
    proc_close($sync);
});
$store = new TieredStore(PhpRedisServer::at($hosts->socket, 0), 'test', 'test:', secret: 'of all hosts of the benchmark');
$hosts->until('this host is in step', fn(): bool => $store->isLocal());

/* Measure a local get. */
$tiered = new SimpleCache($store);
$plain = new SimpleCache('plain');
$array = array_combine(array_map(fn(int $i): string => "key $i", range(1, 1000)), range(1, 1000));
foreach (['int' => 42, 'array' => $array] as $key => $value) {
    $plain->set($key, $value);
    $tiered->set($key, $value);
}
usleep(200000); // wait until the server has told larder-sync of these writes
same($tiered->get('array'), $array);
same($tiered->get('int'), 42);
foreach (['int' => 42, 'array' => $array] as $key => $value) {
    $figures = measure([
        'tiered' => static function () use ($tiered, $key): void { for ($i = 0; $i < 1000; $i++) { $tiered->get($key); } },
        'plain' => static function () use ($plain, $key): void { for ($i = 0; $i < 1000; $i++) { $plain->get($key); } },
    ], $rounds, 20);
    same($tiered->get($key), $value);
    row("get of what is local, $key", $figures['tiered'] / 1000, $figures['plain'] / 1000, 'a plain pool', 1.3);
}

/* An application with 20 reads per request, from 1,000 keys. While commands are counted, one of the keys is written before each request. */
for ($i = 0; $i < 1000; $i++) {
    $value = ['id' => $i, 'name' => "entry $i", 'tags' => ['a', 'b', 'c'], 'text' => str_repeat("text $i ", 20)];
    $plain->set("e$i", $value);
    $redis->set("test:e$i", "\x02" . igbinary_serialize($value));
}
$pick = static fn(): string => 'e' . mt_rand(0, 999);
$request = static function (Closure $get): void {
    for ($i = 0; $i < 20; $i++) {
        $id = mt_rand(0, 999);
        $value = $get("e$id");
        $value['id'] === $id || throw new RuntimeException("a wrong value of e$id");
    }
};
for ($i = 0; $i < 1000; $i++) {
    $tiered->get("e$i");
}
$commands = static fn(): int => (int) $redis->info('stats')['total_commands_processed'];
$byTier = static fn() => $request(fn(string $key): mixed => $tiered->get($key));
$byPool = static fn() => $request(fn(string $key): mixed => $plain->get($key));
$byRedis = static fn() => $request(fn(string $key): mixed => igbinary_unserialize(substr($redis->get("test:$key"), 1)));
$figures = measure(['tiered' => $byTier, 'redis' => $byRedis], $rounds, 100);
row('requests of 20 reads by phpredis alone', $figures['redis'], $figures['tiered'], 'with the tier (CPU of PHP)', 2, true);
$figures = measure(['tiered' => $byTier, 'plain' => $byPool], 3 * $rounds, 100); // measured apart from phpredis, which would leave the processor's caches cold
row('the same by Larder alone', $figures['plain'], $figures['tiered'], 'with the tier', 0.95, true);
$start = $commands();
for ($i = 0; $i < 500; $i++) {
    $request(fn(string $key): mixed => $redis->get("test:$key") ? igbinary_unserialize(substr($redis->get("test:$key"), 1)) : null);
}
$alone = ($commands() - $start) / 2; // each request above calls get() twice per key, so halve the number
$start = $commands();
$writes = 0;
for ($i = 0; $i < 500; $i++) {
    $id = mt_rand(0, 999); // after the write below, the next read of this key must ask the server
    $redis->set("test:e$id", (string) $redis->get("test:e$id"));
    $writes += 2;
    $request(fn(string $key): mixed => $tiered->get($key));
}
printf("%-44s %10.2f      %-28s %10.2f      %6.3fx   (at most 0.1x)\n", 'commands a request, one key of 1,000 written', ($commands() - $start - $writes) / 500, 'phpredis alone', $alone / 500, ($commands() - $start - $writes) / $alone);

/* Measure the time from a write until another host sees the new value. */
$hosts->startSync('b');
$worker = $hosts->startWorker('b', 'phpredis');
$hosts->until('the other host is in step', fn(): bool => $hosts->call($worker, 'isLocal') === true);
$seen = $published = [];
$subscriber = new Predis\Client("unix:$hosts->socket", ['parameters' => ['read_write_timeout' => 5]]);
$loop = $subscriber->pubSubLoop();
$loop->subscribe('channel');
$loop->current();
for ($i = 0; $i < 2000; $i++) {
    $store->get('seen');
    $start = hrtime(true);
    $redis->set('test:seen', (string) $i);
    while ($store->get('seen') !== $i) {
        continue;
    }
    $seen[] = hrtime(true) - $start;
    $start = hrtime(true);
    $redis->publish('channel', (string) $i);
    same((string) $loop->current()->payload, (string) $i);
    $published[] = hrtime(true) - $start;
}
row('write to visible, p50', percentile($seen, 0.5), percentile($published, 0.5), 'publish to subscriber, p50', 3);
row('write to visible, p99', percentile($seen, 0.99), percentile($published, 0.99), 'publish to subscriber, p99', 10);
