<?php
/* cli.php - the drivers without the web: operations per second of one process, and of two at once.
 *
 *   php bench/app/cli.php [--rounds=N] [--only=DRIVER,...] [--json=FILE]
 *
 * HTTP hides most differences between caches. Here a loop calls the driver: "count" increments a counter, the other operations fetch a
 * payload. The two measured processes of a driver are forks of one parent process, so that they share its anonymous memory. Each has its
 * own processor. Times are wall times, because CPU times of PHP would leave out the servers. The figures also go into bench/results.json
 * if no driver is missing and no option shortens the run. */

declare(strict_types=1);

use Bench\Digest;
use Bench\Drivers;
use Bench\Http\Backends;
use Bench\Http\Settings;
use Bench\Machine;
use Bench\Payloads;
use Bench\Place;
use Bench\Results;
use Bench\Unavailable;
use Servers\Folder;

require dirname(__DIR__) . '/php/conductor.php';
require dirname(__DIR__) . '/http/autoload.php';
require dirname(__DIR__) . '/Results.php';

const RUN_SECONDS = 0.05;

/* ---- one driver's process ------------------------------------------------------------------------- */

/** Returns the seconds that $n operations take. */
function run(Bench\Driver $driver, string $operation, int $n): float
{
    $start = hrtime(true);
    if ($operation === 'count') {
        for ($i = 0; $i < $n; $i++) {
            $value = $driver->increment('count');
        }
        return (hrtime(true) - $start) / 1e9;
    }
    $fake = $driver instanceof Bench\Driver\Fake;
    for ($i = 0; $i < $n; $i++) {
        $value = $driver->fetch($operation) ?? ($fake ? null : throw new RuntimeException("$operation was not there"));
    }
    $seconds = (hrtime(true) - $start) / 1e9;
    $expected = $fake ? null : Payloads::make($operation);
    Digest::whole($value) === Digest::whole($expected) || throw new RuntimeException("$operation is wrong");
    return $seconds;
}

/** Runs in a measured process: reads lines "OPERATION N", and answers each with the seconds that N operations took. */
function work(string $name, int $core, mixed $channel): void
{
    pin($core);
    $driver = Drivers::open($name); // after the fork, because connections must not be shared
    fwrite($channel, "ready\n");
    while (($line = fgets($channel)) !== false) {
        [$operation, $n] = explode(' ', trim($line));
        fwrite($channel, run($driver, $operation, (int) $n) . "\n");
    }
}

/** @return list<resource> the channels to the two measured processes; empty if the driver does not work */
function fork_workers(string $name): array
{
    $channels = [];
    foreach ([0, 1] as $core) {
        [$mine, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (pcntl_fork() === 0) {
            array_map(fclose(...), [$mine, ...$channels]);
            try {
                work($name, $core, $other);
            } catch (Unavailable) {
            }
            exit(0);
        }
        fclose($other);
        if (fgets($mine) !== "ready\n") {
            return [];
        }
        $channels[] = $mine;
    }
    return $channels;
}

/** Runs $n operations in each of the processes at once. Returns the sum of their operations per second. */
function run_in(array $channels, string $operation, int $n): float
{
    foreach ($channels as $channel) {
        fwrite($channel, "$operation $n\n");
    }
    $rate = 0;
    foreach ($channels as $channel) {
        $answer = fgets($channel);
        $answer !== false || throw new RuntimeException("$operation failed");
        $rate += $n / (float) $answer;
    }
    return $rate;
}

/** Runs in a driver's parent process: reads lines "PROCESSES OPERATION", and answers each with operations per second. */
function serve(string $name): void
{
    $channels = fork_workers($name);
    if ($channels === []) {
        echo "[]\n";
        return;
    }
    $driver = Drivers::open($name);
    foreach (Payloads::NAMES as $payload) {
        $driver->store($payload, Payloads::make($payload));
    }
    $count = $driver->increment('count');
    $run = function (int $processes, string $operation, int $n) use ($channels, &$count): float {
        $count += $operation === 'count' ? $processes * $n : 0;
        return run_in(array_slice($channels, 0, $processes), $operation, $n);
    };
    echo json_encode(['count', ...Payloads::NAMES]), "\n";
    while (($line = fgets(STDIN)) !== false) {
        [$processes, $operation] = explode(' ', trim($line));
        $n = (int) max(20, min(1e4, RUN_SECONDS * $run(1, $operation, 20)));
        $n = (int) max(20, RUN_SECONDS * $run(1, $operation, $n));
        $rate = $run((int) $processes, $operation, $n);
        if ($operation === 'count' && $name !== 'fake') {
            $is = $driver->increment('count');
            $is === ++$count || throw new RuntimeException("$name: the counter is $is instead of $count");
        }
        echo $rate, "\n";
    }
}

/* ---- the conductor -------------------------------------------------------------------------------- */

/** @param array<string, array<string, array<int, float>>> $figures by driver, operation and number of processes */
function table(array $figures): void
{
    foreach ([1 => 'one process', 2 => 'two processes, together'] as $processes => $title) {
        printf("\nthousand operations/s, %-24s", $title);
        foreach (array_keys($figures) as $driver) {
            printf(' %13s', $driver);
        }
        echo "\n";
        foreach (['count' => 'increment of a counter', ...Payloads::TITLES] as $operation => $title) {
            printf('%-47s', $operation === 'count' ? $title : "fetch of $title");
            foreach ($figures as $of) {
                $rate = $of[$operation][$processes] / 1e3;
                printf(' %13s', number_format($rate, $rate < 100 ? 1 : 0));
            }
            echo "\n";
        }
    }
}

function conduct(array $options): void
{
    $folder = Folder::make('larder-bench');
    $backends = new Backends($folder);
    register_shutdown_function(function () use ($backends, $folder): void {
        $backends->stop();
        Folder::remove($folder);
    });
    pcntl_async_signals(true);
    foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
        pcntl_signal($signal, fn(int $number) => exit(128 + $number));
    }
    putenv(Place::SOCKETS . "=$backends->sockets");
    putenv(Place::FILES . "=$folder/files");
    putenv(Place::VENDOR . '=' . dirname(__DIR__, 2) . '/build/bench/composer/vendor');
    $drivers = isset($options['only']) ? explode(',', $options['only']) : Drivers::names();
    $backends->start($drivers);

    $rounds = (int) ($options['rounds'] ?? 5);
    $samples = [];
    $systems = array_combine($drivers, array_map(Settings::of(...), $drivers));
    rounds($rounds, __FILE__, $systems, function (array $workers) use (&$samples): void {
        foreach ([1, 2] as $processes) {
            foreach (['count', ...Payloads::NAMES] as $operation) {
                foreach ($workers as $driver => $worker) {
                    if ($worker['hello'] !== []) {
                        $samples[$driver][$operation][$processes][] = ask($worker, "$processes $operation");
                    }
                }
            }
        }
    });
    $figures = array_map(fn(array $of) => array_map(fn(array $by) => array_map('median', $by), $of), $samples);
    echo "Medians of $rounds interleaved rounds.\n";
    table($figures);
    $absent = array_diff($drivers, array_keys($figures));
    echo $absent === [] ? '' : "\nnot measured, something is missing: " . implode(', ', $absent) . "\n";
    $absent === [] && Results::whole($options) && Results::put('drivers', [
        'command' => 'php bench/app/cli.php',
        'thousands_per_second' => array_merge(...array_map(fn(string $operation): array => [
            $operation === 'count' ? 'increment of a counter' : 'fetch of ' . Payloads::TITLES[$operation] => array_map(fn(array $of): float|int => Results::round($of[$operation][1] / 1e3), $figures),
        ], ['count', ...Payloads::NAMES])),
    ]);
    write_json($options['json'] ?? dirname(__DIR__, 2) . '/build/bench/cli.json', [
        'bench' => 'cli', 'unit' => 'operations/s, median; by number of processes', 'machine' => Machine::facts(),
        'rounds' => $rounds, 'titles' => Payloads::TITLES, 'absent' => array_values($absent), 'figures' => $figures,
        'samples' => $samples,
    ]);
}

$options = getopt('', ['serve:', 'rounds:', 'only:', 'json:']);
isset($options['serve']) ? serve($options['serve']) : conduct($options);
