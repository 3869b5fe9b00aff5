<?php

/* workers.php - the memory of 20 workers that each hold one configuration of 10 MB, taken from Larder, APCu, Redis or a file.
 *
 *   php bench/memory/workers.php [--workers=N] [--module=FILE]
 *
 * Figures are proportional bytes (PSS) of all workers: shared pages count once. "nothing" is workers without the
 * configuration. Each worker checks what it got. The figures go into bench/results.json. */

declare(strict_types=1);

use Bench\Results;
use Servers\Child;
use Servers\Folder;
use Servers\Programs;

require dirname(__DIR__) . '/php/conductor.php';

/** Some 10 MB as PHP's memory has it. */
function configuration(): array
{
    $all = [];
    for ($i = 0; $i < 13000; $i++) {
        $all["service.$i"] = ['class' => "App\\Service\\Service$i", 'arguments' => ["@service." . $i % 97, "%parameter.$i%", $i], 'public' => $i % 2 === 0];
    }
    return $all;
}

/** In a process of one system: forks the workers and prints the sum of their PSS and the bytes of one configuration. */
function serve(string $system, int $workers, string $place): void
{
    $size = memory_get_usage();
    $configuration = configuration();
    $size = memory_get_usage() - $size;
    unset($configuration);
    $fetch = match ($system) {
        'nothing' => fn() => null,
        'larder' => fn() => Larder\VolatileCache::get('configuration'),
        'apcu' => fn() => apcu_fetch('configuration'),
        'redis' => fn() => redis($place)->get('configuration'),
        'file' => fn() => igbinary_unserialize(file_get_contents("$place/configuration")),
    };
    if ($system === 'larder') {
        Larder\VolatileCache::has('configuration'); // one store for all that are forked
    }
    $child = pcntl_fork();
    if ($child === 0) {
        match ($system) {
            'nothing' => true,
            'larder' => Larder\VolatileCache::set('configuration', configuration()),
            'apcu' => apcu_store('configuration', configuration()),
            'redis' => redis($place)->set('configuration', configuration()),
            'file' => file_put_contents("$place/configuration", igbinary_serialize(configuration())),
        } || exit(1);
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($child, $status);
    $pairs = $pids = [];
    for ($i = 0; $i < $workers; $i++) {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (($pid = pcntl_fork()) === 0) {
            fclose($pair[0]);
            array_map(fclose(...), $pairs);
            $held = $fetch();
            $right = $system === 'nothing' || (count($held) === 13000 && $held['service.12999']['arguments'][1] === '%parameter.12999%');
            fwrite($pair[1], $right ? 'y' : 'n');
            fread($pair[1], 1); // until the parent has measured
            posix_kill(getmypid(), SIGKILL);
        }
        fclose($pair[1]);
        $pairs[] = $pair[0];
        $pids[] = $pid;
    }
    $right = array_filter($pairs, fn($pair): bool => fread($pair, 1) === 'y');
    $sum = 0;
    foreach ($pids as $pid) {
        preg_match('/^Pss:\s+(\d+)/m', (string) file_get_contents("/proc/$pid/smaps_rollup"), $match);
        $sum += (int) ($match[1] ?? 0) * 1024;
    }
    foreach ($pids as $pid) {
        posix_kill($pid, SIGKILL);
        pcntl_waitpid($pid, $status);
    }
    count($right) === $workers || exit(1);
    echo "$sum $size\n";
}

function redis(string $place): Redis
{
    static $redis;
    if ($redis === null) {
        $redis = new Redis();
        $redis->connect("$place/redis.sock");
        $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_IGBINARY);
    }
    return $redis;
}

$options = getopt('', ['workers:', 'module:', 'serve:', 'place:']);
$workers = (int) ($options['workers'] ?? 20);
if (isset($options['serve'])) {
    serve($options['serve'], $workers, $options['place']);
    exit(0);
}
$project = dirname(__DIR__, 2);
require "$project/tools/servers/autoload.php";
require dirname(__DIR__) . '/Results.php';
$module = $options['module'] ?? "$project/php/modules/larder.so";
$igbinary = 'extension=' . extension_dir() . '/igbinary.so';
$systems = there([
    'nothing' => [],
    // Each worker that holds the configuration counts against half of the size. Memory that is not written is not taken.
    'larder' => ["extension=$module", 'larder.volatile_size=1G'],
    'apcu' => [$igbinary, 'extension=' . extension_dir() . '/apcu.so', 'apc.enable_cli=1', 'apc.shm_size=64M', 'apc.serializer=igbinary'],
    'redis' => [$igbinary, 'extension=' . extension_dir() . '/redis.so'],
    'file' => [$igbinary],
]);
$folder = Folder::make('larder-memory');
$server = null;
$figures = [];
$size = 0;
try {
    if (isset($systems['redis'])) {
        $server = Child::start([Programs::path('redis-server'), '--port', '0', '--unixsocket', "$folder/redis.sock", '--save', '', '--appendonly', 'no', '--dir', $folder], fopen("$folder/redis.log", 'a'));
        for ($i = 0; $i < 200 && !file_exists("$folder/redis.sock"); $i++) {
            usleep(50000);
        }
    }
    foreach ($systems as $system => $settings) {
        $command = [PHP_BINARY, '-n', '-d', 'memory_limit=1G', '-d', 'extension=posix'];
        foreach ($settings as $setting) {
            array_push($command, '-d', $setting);
        }
        array_push($command, __FILE__, "--serve=$system", "--workers=$workers", "--place=$folder");
        $output = [];
        exec(implode(' ', array_map(escapeshellarg(...), $command)), $output, $status);
        $status === 0 || exit("memory: $system: a worker has another configuration, or exit code $status\n");
        [$sum, $size] = array_map(intval(...), explode(' ', $output[0]));
        $figures[$system] = Results::round($sum / 1e6);
    }
} finally {
    $server?->stop();
    Folder::remove($folder);
}
printf("%d workers with a configuration of %.1f MB\n%-10s%10s\n", $workers, $size / 1e6, '', 'PSS, MB');
foreach ($figures as $system => $mb) {
    printf("%-10s%10s   %s\n", $system, $mb, isset($figures['apcu']) ? sprintf('%.2fx APCu', $mb / $figures['apcu']) : '');
}
Results::put('memory_of_workers', ['command' => 'php bench/memory/workers.php', 'workers' => $workers, 'configuration_mb' => Results::round($size / 1e6), 'pss_mb' => $figures,
    'larder_to_apcu' => isset($figures['apcu']) ? Results::round($figures['larder'] / $figures['apcu'], 2) : null]);
