<?php

/* run.php - measures PHP's sessions in Larder, files on tmpfs and on disk, memcached and Redis, in interleaved rounds.
 *
 *   php bench/sessions/run.php [--rounds=N] [--seconds=N] [--cycles=N] [--json=FILE]
 *
 * - Behind nginx and php-fpm: requests per second, and CPU time of a request (of the workers and the handler's server). The requests use
 *   random sessions, or all use the same session. nginx and wrk have one processor, the workers and servers another. Each answer is
 *   checked, and no counter of a session may come twice.
 * - On the command line: CPU time of a cycle of start, write and close.
 *
 * Exit code 0 only if every answer was right. */

declare(strict_types=1);

namespace Bench\Sessions;

use Bench\Http\Backends;
use Bench\Http\Load;
use Bench\Http\Settings;
use Bench\Http\Stand;
use Bench\Machine;
use RuntimeException;
use Servers\Folder;
use Servers\Web;
use Servers\Wrk;

require dirname(__DIR__) . '/http/autoload.php';

const CONNECTIONS = 8;

/** @return array{list<string>, array<string, array{string, string}>} lines of php.ini; handlers and save paths by name */
function setup(string $folder, string $memory, Backends $backends): array
{
    $lines = ['zend_extension=opcache'];
    foreach (['larder', 'memcached', 'redis'] as $driver) {
        array_push($lines, ...array_filter(Settings::of($driver), fn(string $line): bool => str_contains($line, 'extension=')));
    }
    array_push(
        $lines,
        'opcache.validate_timestamps=0', 'session.use_cookies=0', 'session.cache_limiter=',
        'session.gc_probability=0', 'larder.session_lock_wait=-1', 'display_errors=1', 'html_errors=0',
        'memcached.sess_locking=1', 'memcached.sess_lock_wait_min=1', 'memcached.sess_lock_wait_max=2',
        'memcached.sess_lock_retries=100000', 'memcached.sess_persistent=1',
        'redis.session.locking_enabled=1', 'redis.session.lock_retries=-1', 'redis.session.lock_wait_time=1000',
    );
    $handlers = [
        'larder' => ['larder', ''],
        'files-tmpfs' => ['files', $memory],
        'files-disk' => ['files', "$folder/sessions"],
    ];
    if (str_contains(implode("\n", $lines), 'memcached.so')) {
        $handlers['memcached'] = ['memcached', "$backends->sockets/memcached.sock"];
    }
    if (str_contains(implode("\n", $lines), 'redis.so')) {
        $handlers['redis'] = ['redis', "unix://$backends->sockets/redis-server.sock?persistent=1"];
    }
    return [array_values(array_unique($lines)), $handlers];
}

function median(array $values): float
{
    sort($values);
    $middle = intdiv(count($values), 2);
    return count($values) % 2 ? $values[$middle] : ($values[$middle - 1] + $values[$middle]) / 2;
}

/** Returns the median of the ratios of the rounds. */
function ratio(array $of, array $to): float
{
    return median(array_map(fn(float $one, float $other): float => $one / $other, $of, $to));
}

/** @return array{float, float} requests per second; CPU time (us) per request */
function http_round(Web $web, Backends $backends, string $name, string $which, int $seconds, ?int $front, array &$faults): array
{
    $cpu = fn(): float => $web->settledCpu() + (in_array($name, ['memcached', 'redis'], true) ? $backends->cpu($name) : 0);
    $before = $cpu();
    $url = "$web->url/$name/$which";
    $load = new Load(Wrk::run($url, dirname(__DIR__) . '/http/load.lua', $which === 'one' ? [] : ['ok'], $seconds, CONNECTIONS, 1, null, $front));
    $used = $cpu() - $before;
    $web->check();
    if ($load->wrong + $load->lost + $load->failed + $load->twice > 0 || $load->right === 0) {
        $faults[] = "$name, $which: $load->right right, $load->wrong wrong ($load->firstWrong), $load->twice twice, $load->lost lost, $load->failed failed";
        fwrite(STDERR, 'WRONG: ' . end($faults) . "\n");
    }
    return [$load->perSecond, $used * 1e6 / ($load->right + CONNECTIONS)];
}

/** Returns the CPU time of a cycle in ns, in a new process with the workers' settings. */
function cycle(string $ini, string $handler, string $path, int $cycles, string $which): float
{
    $command = [PHP_BINARY, '-n', '-c', $ini, __DIR__ . '/cycle.php', $handler, $path, (string) $cycles, $which];
    exec(implode(' ', array_map(escapeshellarg(...), $command)), $lines, $status);
    return $status === 0 && is_numeric($lines[0] ?? '') ? (float) $lines[0]
        : throw new RuntimeException("$handler, $which: " . implode("\n", $lines));
}

function main(array $options): int
{
    $rounds = (int) ($options['rounds'] ?? 7);
    $seconds = (int) ($options['seconds'] ?? 2);
    $cycles = (int) ($options['cycles'] ?? 20000);
    $folder = Folder::make('larder-bench-sessions');
    $memory = '/dev/shm/' . basename($folder);
    foreach ([$memory, "$folder/sessions"] as $path) {
        mkdir($path, 0777);
        chmod($path, 0777);
    }
    [$front, $back] = Stand::processors();
    $backends = new Backends($folder, $back);
    [$ini, $handlers] = setup($folder, $memory, $backends);
    $params = ['HANDLERS' => "'" . json_encode($handlers, JSON_UNESCAPED_SLASHES) . "'"];
    $web = new Web($folder, __DIR__ . '/app', $ini, $params, Folder::freePort(), $front, $back);
    register_shutdown_function(function () use ($web, $backends, $folder, $memory): void {
        $web->stop();
        $backends->stop();
        Folder::remove($folder);
        Folder::remove($memory);
    });
    pcntl_async_signals(true);
    foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
        pcntl_signal($signal, fn(int $number) => exit(128 + $number));
    }
    $backends->start(['memcached', 'redis']);
    $web->start();

    $faults = $samples = [];
    foreach (['random', 'one'] as $which) { // warm
        foreach (array_keys($handlers) as $name) {
            http_round($web, $backends, $name, $which, 1, $front, $faults);
        }
    }
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($round % 2 ? array_reverse(array_keys($handlers)) : array_keys($handlers) as $name) {
            foreach (['random', 'one'] as $which) {
                [$samples[$name][$which][], $samples[$name]["$which cpu"][]] = http_round($web, $backends, $name, $which, $seconds, $front, $faults);
                $samples[$name]["$which cycle"][] = cycle("$folder/php.ini", ...[...$handlers[$name], $cycles, $which]);
            }
        }
    }
    printf("nginx, php-fpm with %d workers, wrk with %d connections; sessions of 1 KB. Medians of %d interleaved rounds of %d s;\n", Web::WORKERS, CONNECTIONS, $rounds, $seconds);
    echo "in brackets that of Larder divided by it, the median of the rounds' ratios. CPU of the workers and of the handler's server;\n";
    echo "a cycle: start, write, close on the command line, CPU of PHP alone.\n";
    foreach (['random' => 'random sessions', 'one' => 'one session for all'] as $which => $title) {
        printf("\n%-20s %20s %22s %22s\n", $title, 'requests/s', 'CPU us/request', 'CPU us/cycle');
        foreach ($samples as $name => $of) {
            printf("%-20s", $name);
            foreach ([[$which, 1, '%11.0f'], ["$which cpu", 1, '%13.1f'], ["$which cycle", 1000, '%13.2f']] as [$what, $by, $format]) {
                printf("$format (%5.2fx)", median($of[$what]) / $by, ratio($samples['larder'][$what], $of[$what]));
            }
            echo "\n";
        }
    }
    $file = $options['json'] ?? dirname(__DIR__, 2) . '/build/bench/sessions.json';
    is_dir(dirname($file)) || mkdir(dirname($file), 0777, true);
    file_put_contents($file, json_encode(['bench' => 'sessions', 'machine' => Machine::facts(), 'rounds' => $rounds, 'seconds' => $seconds, 'samples' => $samples, 'faults' => $faults], JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR) . "\n");
    echo "\n", $faults === [] ? 'all answers right' : 'NOT all answers right', ". Written to $file\n";
    return $faults === [] ? 0 : 1;
}

try {
    exit(main(getopt('', ['rounds:', 'seconds:', 'cycles:', 'json:']) ?: []));
} catch (RuntimeException $failure) {
    fwrite(STDERR, 'bench-sessions: ' . rtrim($failure->getMessage()) . "\n");
    exit(2);
}
