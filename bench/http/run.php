<?php

/* run.php - the benchmark application behind nginx and php-fpm: requests per second, latency and CPU time of each driver, in interleaved
 * rounds.
 *
 *   php bench/http/run.php [--rounds=N] [--seconds=N] [--only=DRIVER,...] [--json=FILE]
 *
 * The figures go into bench/results.json, too, if no driver is missing and no option shortens the run. Exit code 0 only if every answer was
 * right and no increment was lost. Begin reading at count_visits() and fetch_payloads(). */

declare(strict_types=1);

namespace Bench\Http;

use Bench\Digest;
use Bench\Drivers;
use Bench\Machine;
use Bench\Payloads;
use Bench\Results;
use RuntimeException;
use Servers\Folder;
use Servers\Killer;
use Servers\Web;

require __DIR__ . '/autoload.php';
require dirname(__DIR__) . '/Results.php';

const KILL_SECONDS = 4;

/** Collects what went wrong. */
final class Faults
{
    /** @var list<string> */
    public array $all = [];
    public int $checked = 0;

    public function expect(bool $good, string $fault): void
    {
        if (!$good) {
            $this->all[] = $fault;
            fwrite(STDERR, "WRONG: $fault\n");
        }
    }

    public function check(string $name, Load $load, int $mayLose = 0): void
    {
        $this->checked += $load->right + $load->wrong;
        $this->expect($load->right > 0, "$name: no answer");
        $this->expect($load->wrong === 0, "$name: $load->wrong wrong answers, such as $load->firstWrong");
        $this->expect($load->lost <= $mayLose, "$name: $load->lost answers lost");
        $this->expect($load->failed === 0, "$name: $load->failed connections refused or answers too late");
    }
}

/** Makes one run. Adds its rate, its latency and its CPU times to $figures. */
function sample(
    Stand $stand,
    Faults $faults,
    array &$figures,
    string $driver,
    string $path,
    ?string $expected,
    int $seconds,
): Load {
    $workers = $stand->web->settledCpu();
    $servers = $stand->backends->cpu($driver);
    $load = $stand->load($path, $expected, $seconds);
    $workers = $stand->web->settledCpu() - $workers;
    $servers = $stand->backends->cpu($driver) - $servers;
    $stand->check();
    $faults->check($path, $load);
    $served = $load->right + Stand::CONNECTIONS; // each connection's last answer came too late to be counted
    $figures['perSecond'][] = $load->perSecond;
    $figures['p50'][] = $load->p50;
    $figures['p99'][] = $load->p99;
    $figures['workers'][] = $workers * 1e6 / $served;
    $figures['servers'][] = $servers * 1e6 / $served;
    return $load;
}

/** Checks the counter after a run: no two answers had the same number, and the final value is right. */
function check_counter(
    Stand $stand,
    Faults $faults,
    string $driver,
    int &$visits,
    Load $load,
    int $mayHaveDied = 0,
): void {
    $faults->expect($load->twice === 0, "$driver: $load->twice numbers came more than once");
    $faults->expect($load->low > $visits, "$driver: the counter went back from $visits to $load->low");
    $now = (int) $stand->get("/cache/$driver");
    $unseen = $now - 1 - $visits - $load->right; // increments without an answer: the run ended, or the worker was killed
    $faults->expect($now > $load->high && $unseen >= 0, "$driver: increments were lost");
    $faults->expect($unseen <= Stand::CONNECTIONS + $mayHaveDied, "$driver: $unseen increments too many");
    $visits = $now;
}

/**
 * Measures each driver's counter under load.
 * @param list<string> $drivers
 * @return array<string, array<string, list<float>>> samples
 */
function count_visits(Stand $stand, Faults $faults, array $drivers, int $rounds, int $seconds): array
{
    $samples = [];
    $visits = [];
    foreach ($drivers as $driver) {
        $faults->check($driver, $stand->load("/cache/$driver", $driver === 'fake' ? '0' : null, 1)); // the warm-up
        $stand->web->settledCpu(); // wait for workers that still handle requests whose connections wrk has closed: they increment the counter
        $visits[$driver] = (int) $stand->get("/cache/$driver");
    }
    for ($round = 0; $round < $rounds; $round++) {
        progress("counters, round " . ($round + 1) . " of $rounds");
        foreach ($round % 2 === 0 ? $drivers : array_reverse($drivers) as $driver) {
            $samples[$driver] ??= [];
            $expected = $driver === 'fake' ? '0' : null;
            $load = sample($stand, $faults, $samples[$driver], $driver, "/cache/$driver", $expected, $seconds);
            if ($driver !== 'fake') {
                check_counter($stand, $faults, $driver, $visits[$driver], $load);
            }
        }
    }
    return array_intersect_key(array_replace(array_flip($drivers), $samples), $samples);
}

/**
 * Measures counting while workers are killed.
 * @return array<string, int|float>
 */
function kill_workers(Stand $stand, Faults $faults, string $driver): array
{
    progress('counters while workers are killed');
    $kill = new Killer($stand->web);
    $visits = (int) $stand->get("/cache/$driver");
    $load = $stand->load("/cache/$driver", null, KILL_SECONDS, $kill);
    $stand->web->settledCpu();
    $stand->check();
    $faults->expect($kill->kills > 0, 'no worker could be killed');
    $faults->check("$driver, workers being killed", $load, $kill->kills); // a worker serves one request at a time, so each kill loses at most one answer
    check_counter($stand, $faults, $driver, $visits, $load, $kill->kills);
    return [
        'kills' => $kill->kills, 'seconds' => KILL_SECONDS, 'right' => $load->right, 'lost_answers' => $load->lost,
        'twice' => $load->twice,
    ];
}

/** Checks all elements of every stored payload. */
function check_payloads(Stand $stand, Faults $faults, array $drivers): void
{
    foreach ($drivers as $driver) {
        foreach (Payloads::NAMES as $payload) {
            $expected = Digest::whole($driver === 'fake' ? null : Payloads::make($payload));
            $is = $stand->get("/fetch/$driver/$payload?whole");
            $faults->expect($is === $expected, "$driver: $payload is not what was stored");
        }
    }
}

/**
 * Measures each driver's fetch of each payload under load.
 * @param list<string> $drivers
 * @return array<string, array<string, array<string, list<float>>>> samples by payload and driver
 */
function fetch_payloads(Stand $stand, Faults $faults, array $drivers, int $rounds, int $seconds): array
{
    foreach ($drivers as $driver) {
        foreach (Payloads::NAMES as $payload) {
            $stand->get("/store/$driver/$payload");
        }
    }
    check_payloads($stand, $faults, $drivers);
    $samples = [];
    for ($round = 0; $round < $rounds; $round++) {
        foreach (Payloads::NAMES as $payload) {
            progress("$payload, round " . ($round + 1) . " of $rounds");
            $value = Payloads::make($payload);
            foreach ($round % 2 === 0 ? $drivers : array_reverse($drivers) as $driver) {
                $samples[$payload][$driver] ??= [];
                $expected = Digest::sample($driver === 'fake' ? null : $value);
                $path = "/fetch/$driver/$payload";
                sample($stand, $faults, $samples[$payload][$driver], $driver, $path, $expected, $seconds);
            }
        }
    }
    check_payloads($stand, $faults, $drivers);
    return $samples;
}

function median(array $values): float
{
    sort($values);
    $middle = intdiv(count($values), 2);
    return count($values) % 2 ? $values[$middle] : ($values[$middle - 1] + $values[$middle]) / 2;
}

/**
 * Returns the medians of the rounds. "ratio" is the median of the rounds' ratios to the driver "fake".
 * @param array<string, array<string, list<float>>> $samples
 * @return array<string, array<string, float>>
 */
function figures(array $samples): array
{
    $figures = [];
    foreach ($samples as $driver => $of) {
        $figures[$driver] = array_map(median(...), $of);
        $by = fn(float $is, float $fake): float => $is / $fake;
        $over = fn(float $is, float $fake): float => $is - $fake;
        $fake = $samples['fake'];
        $figures[$driver]['ratio'] = median(array_map($by, $of['perSecond'], $fake['perSecond']));
        $figures[$driver]['overFake'] = median(array_map($over, $of['workers'], $fake['workers']));
    }
    return $figures;
}

/** @param array<string, array<string, float>> $figures */
function print_counters(array $figures): void
{
    $head = ['requests/s', 'to fake', 'p50 us', 'p99 us', 'PHP CPU us/req', 'over fake us', 'server us'];
    printf("\n%-15s %11s %9s %9s %9s %15s %14s %9s\n", '/cache/DRIVER', ...$head);
    foreach ($figures as $driver => $of) {
        $cells = [$of['perSecond'], $of['ratio'], $of['p50'], $of['p99'], $of['workers'], $of['overFake'], $of['servers']];
        printf("%-15s %11.0f %8.3fx %9.0f %9.0f %15.1f %+14.2f %9.1f\n", $driver, ...$cells);
    }
}

/** @param array<string, array<string, array<string, float>>> $figures */
function print_payloads(array $figures, array $drivers): void
{
    foreach (['workers' => 'CPU us of PHP and the server', 'perSecond' => 'requests/s'] as $what => $title) {
        $head = array_map(fn(string $driver): string => sprintf('%14s', $driver), $drivers);
        printf("\n/fetch: %-30s%s\n", $title, implode('', $head));
        foreach ($figures as $payload => $by) {
            printf('%-38s', Payloads::TITLES[$payload]);
            foreach ($drivers as $driver) {
                $of = $by[$driver];
                $what === 'workers' ? printf('%14.1f', $of['workers'] + $of['servers']) : printf('%14.0f', $of[$what]);
            }
            echo "\n";
        }
    }
}

/**
 * @param array<string, array<string, float>> $cache
 * @param array<string, array<string, array<string, float>>> $fetch
 * @param ?array<string, int> $kills
 */
function record(array $cache, array $fetch, ?array $kills): void
{
    Results::put('drivers_over_http', [
        'command' => 'make bench-http',
        'counters' => array_map(fn(array $of): array => [
            'requests_per_second' => Results::round($of['perSecond']), 'to_fake' => round($of['ratio'], 2),
            'php_us' => Results::round($of['workers']), 'server_us' => Results::round($of['servers'], 2),
        ], $cache),
        'fetches_us' => array_combine(array_map(fn(string $name): string => Payloads::TITLES[$name], array_keys($fetch)), array_map(
            fn(array $by): array => array_map(fn(array $of): float|int => Results::round($of['workers'] + $of['servers']), $by),
            array_values($fetch),
        )),
        'kills' => $kills,
    ]);
}

function progress(string $text): void
{
    if (stream_isatty(STDERR)) {
        fwrite(STDERR, "\r\e[K$text" . ($text === '' ? '' : ' ...'));
    }
}

function main(array $options): int
{
    $folder = Folder::make('larder-bench');
    $stand = new Stand($folder);
    register_shutdown_function(function () use ($stand, $folder): void {
        progress('');
        $stand->stop();
        Folder::remove($folder);
    });
    pcntl_async_signals(true);
    foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
        pcntl_signal($signal, fn(int $number) => exit(128 + $number));
    }
    $rounds = (int) ($options['rounds'] ?? 9);
    $seconds = (int) ($options['seconds'] ?? 1);
    $started = microtime(true);
    $faults = new Faults();
    $states = $stand->start();
    if (isset($options['only'])) {
        $states = array_intersect_key($states, array_flip(['fake', ...explode(',', $options['only'])]));
    }
    $drivers = array_keys($states, null, true);
    $absent = array_filter($states, is_string(...));

    $counters = count_visits($stand, $faults, $drivers, $rounds, $seconds);
    $kills = in_array('larder', $drivers, true) ? kill_workers($stand, $faults, 'larder') : null;
    $payloads = fetch_payloads($stand, $faults, $drivers, max(1, intdiv($rounds, 4)), 1);
    progress('');

    $cache = figures($counters);
    $fetch = array_map(figures(...), $payloads);
    printf("php-fpm, %d workers; nginx; wrk, %d connections. ", Web::WORKERS, Stand::CONNECTIONS);
    echo $stand->front === null ? "One processor for all.\n"
        : "nginx and wrk on processor $stand->front, PHP and the caches' servers on $stand->back.\n";
    echo "Medians of $rounds interleaved rounds of $seconds s; \"to fake\" of the rounds' own ratios.\n";
    print_counters($cache);
    print_payloads($fetch, $drivers);
    foreach ($absent as $driver => $why) {
        echo "\nnot measured: $driver. $why\n";
    }
    if ($kills !== null) {
        printf("\n%d workers killed in %d s with Larder: %s visits counted, ", $kills['kills'], $kills['seconds'], number_format($kills['right']));
        printf("%d answers lost with their worker, %d numbers given twice\n", $kills['lost_answers'], $kills['twice']);
    }
    $file = $options['json'] ?? dirname(__DIR__, 2) . '/build/bench/http.json';
    is_dir(dirname($file)) || mkdir(dirname($file), 0777, true);
    file_put_contents($file, json_encode([
        'bench' => 'http', 'unit' => 'requests/s; us; medians of interleaved rounds', 'machine' => Machine::facts(),
        'rounds' => $rounds, 'seconds' => $seconds, 'workers' => Web::WORKERS, 'connections' => Stand::CONNECTIONS,
        'pinned' => $stand->front !== null, 'cache' => $cache, 'fetch' => $fetch, 'kills' => $kills,
        'titles' => Payloads::TITLES, 'absent' => $absent, 'checked' => $faults->checked, 'faults' => $faults->all,
        'samples' => ['cache' => $counters, 'fetch' => $payloads],
    ], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR) . "\n");
    if (Results::whole($options) && $absent === [] && $faults->all === []) {
        record($cache, $fetch, $kills);
    }
    printf("\n%s answers checked: %s. Written to %s. %.0f s\n", number_format($faults->checked),
        $faults->all === [] ? 'all right, no increment lost' : 'NOT all right, ' . $faults->all[0], $file, microtime(true) - $started);
    return $faults->all === [] ? 0 : 1;
}

try {
    exit(main(getopt('', ['rounds:', 'seconds:', 'only:', 'json:']) ?: []));
} catch (RuntimeException $failure) {
    fwrite(STDERR, 'bench-http: ' . rtrim($failure->getMessage()) . "\n");
    exit(2);
}
