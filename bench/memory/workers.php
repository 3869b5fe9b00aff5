<?php

/* workers.php - the memory of 20 workers that each hold one configuration of 10 MB, taken from Larder, APCu, Redis or a file.
 *
 *   php bench/memory/workers.php [--workers=N] [--module=FILE]
 *
 * Figures are proportional bytes (PSS) of all workers: shared pages count once. "nothing" is workers without the configuration. The figures
 * go into bench/results.json if APCu is installed and --workers is not given. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

use Bench\Results;
use Servers\Folder;
use Servers\Memory;
use Servers\RedisServer;

require dirname(__DIR__) . '/php/conductor.php';

/** Makes a value of some 10 MB in PHP's memory. */
function configuration(): array
{
    $all = [];
    for ($i = 0; $i < 13000; $i++) {
        $all["service.$i"] = ['class' => "App\\Service\\Service$i", 'arguments' => ["@service." . $i % 97, "%parameter.$i%", $i], 'public' => $i % 2 === 0];
    }
    return $all;
}

/** Runs in a process of one system. Forks the workers, and prints the sum of their PSS and the bytes of one configuration. */
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
        Larder\VolatileCache::has('configuration'); // before the first fork, so that all workers share the store
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
            fread($pair[1], 1); // wait until the parent has measured
            posix_kill(getmypid(), SIGKILL);
        }
        fclose($pair[1]);
        $pairs[] = $pair[0];
        $pids[] = $pid;
    }
    $right = array_filter($pairs, fn($pair): bool => fread($pair, 1) === 'y');
    $sum = Memory::proportional($pids);
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
    return $redis ??= redis_client(RedisServer::socket($place));
}

$project = dirname(__DIR__, 2);
require "$project/tools/servers/autoload.php";
$options = getopt('', ['workers:', 'module:', 'serve:', 'place:']);
$workers = (int) ($options['workers'] ?? 20);
if (isset($options['serve'])) {
    serve($options['serve'], $workers, $options['place']);
    exit(0);
}
require dirname(__DIR__) . '/Results.php';
$systems = there([
    'nothing' => [],
    // All workers together may hold at most half of the store, so the store must be large. Memory that is never written is not allocated.
    ...peers($options['module'] ?? "$project/php/modules/larder.so", 'larder.volatile_size=1G'),
    'file' => ['extension=' . extension_dir() . '/igbinary.so'],
]);
$folder = Folder::make('larder-memory');
$server = null;
$figures = [];
$size = 0;
try {
    $server = isset($systems['redis']) ? RedisServer::start($folder) : null;
    foreach ($systems as $system => $settings) {
        [$output, $status] = run_php(['memory_limit=1G', 'extension=posix', ...$settings], __FILE__, "--serve=$system", "--workers=$workers", "--place=$folder");
        $status === 0 || fail("memory: $system: a worker has another configuration, or exit code $status\n");
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
Results::whole($options) && isset($figures['apcu']) && Results::put('memory_of_workers', ['command' => 'php bench/memory/workers.php', 'workers' => $workers, 'configuration_mb' => Results::round($size / 1e6), 'pss_mb' => $figures,
    'larder_to_apcu' => Results::round($figures['larder'] / $figures['apcu'], 2)]);
