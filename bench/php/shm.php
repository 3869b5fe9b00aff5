<?php
/* shm.php - a new version of the benchmark that immutable_cache publishes. Several processes fetch one of 16 keys from Larder, and from all
 * other installed caches.
 *
 *   [BENCHMARK_N=400000] [BENCHMARK_ARRAY_SIZE=8] [BENCHMARK_USE_STRING_INSTEAD=1] [BENCHMARK_USE_SCALAR_INSTEAD=1]
 *   [BENCHMARK_NUM_PROCESSES=4] php bench/php/shm.php [--module=FILE] [--rounds=N] [--json=FILE]
 *
 * BENCHMARK_N is the number of fetches of each process. The value is an array of BENCHMARK_ARRAY_SIZE strings with string keys, a string
 * of BENCHMARK_ARRAY_SIZE bytes, or the number 42. There are two figures, both medians of the rounds: the CPU time of a fetch with its
 * loop, and the fetches per second of all processes. The second figure means little if there are more processes than processors. */

declare(strict_types=1);

require __DIR__ . '/conductor.php';

const KEYS = 16;

function setting(string $name, int $default): int
{
    $text = getenv("BENCHMARK_$name");
    return $text === false || $text === '' ? $default : (int) $text;
}

function value(): mixed
{
    $size = setting('ARRAY_SIZE', 8);
    if (setting('USE_SCALAR_INSTEAD', 0)) {
        return 42;
    }
    if (setting('USE_STRING_INSTEAD', 0)) {
        return str_repeat('.', $size);
    }
    $value = [];
    for ($i = 0; $i < $size; $i++) {
        $value["key$i"] = "myValue$i";
    }
    return $value;
}

/* ---- one system's process --------------------------------------------------------------------- */

/** Runs one of the processes, and returns its nanoseconds of CPU time. Throws if a value is wrong. */
function fetch_all(callable $run, int $n, array $keys, mixed $value): float
{
    $start = cpu();
    [$found, $last] = $run($n, $keys);
    $spent = cpu() - $start;
    if ($found !== $n || $last !== array_fill(0, min($n, KEYS), $value)) {
        throw new RuntimeException("$found of $n were found, or a value was wrong");
    }
    return $spent;
}

/** Starts the processes, and lets them begin at once. Returns the mean CPU time per fetch, and the wall time of the run. */
function race(callable $run, int $processes, int $n, array $keys, mixed $value): array
{
    $children = [];
    for ($i = 0; $i < $processes; $i++) {
        [$mine, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $pid = pcntl_fork();
        if ($pid === 0) {
            $run(KEYS, $keys);
            fwrite($other, 'r');
            fread($other, 1);
            try {
                fwrite($other, fetch_all($run, $n, $keys, $value) . "\n");
            } catch (Throwable $e) {
                fwrite($other, $e->getMessage() . "\n");
            }
            posix_kill(getmypid(), SIGKILL);
        }
        fclose($other);
        fread($mine, 1);
        $children[$pid] = $mine;
    }
    $start = hrtime(true);
    foreach ($children as $child) {
        fwrite($child, 'g');
    }
    $spent = [];
    foreach ($children as $pid => $child) {
        $answer = trim((string) fgets($child));
        pcntl_waitpid($pid, $status);
        is_numeric($answer) || throw new RuntimeException("a process failed: $answer");
        $spent[] = (float) $answer / $n;
    }
    return [array_sum($spent) / $processes, hrtime(true) - $start];
}

/** Runs the processes once for each line of the standard input. If the line is "cpu", prints the nanoseconds of CPU time per fetch.
 * Otherwise, prints the fetches per second. */
function serve(string $system): void
{
    [$store, $fetch] = match (true) {
        $system === 'larder' => ['\Larder\VolatileCache::set(%s, %s)', '\Larder\VolatileCache::get($keys[$i & 15])'],
        str_contains($system, 'apcu') => ['apcu_store(%s, %s)', 'apcu_fetch($keys[$i & 15])'],
        default => ['immutable_cache_add(%s, %s)', 'immutable_cache_fetch($keys[$i & 15])'],
    };
    $value = value();
    $n = setting('N', 400000);
    $processes = setting('NUM_PROCESSES', 4);
    $keys = array_map(fn(int $i) => "key$i", range(0, KEYS - 1));
    $put = eval('return function ($key, $value) { return ' . sprintf($store, '$key', '$value') . '; };');
    foreach ($keys as $key) {
        $put($key, $value) || throw new RuntimeException("$system: $key was not stored");
    }
    $run = eval("return function (\$n, \$keys) { \$found = 0; \$last = []; for (\$i = 0; \$i < \$n; \$i++) {
        \$last[\$i & 15] = \$v = $fetch; \$found += \$v !== false && \$v !== null; } return [\$found, \$last]; };");
    echo json_encode(['n' => $n, 'processes' => $processes]), "\n";
    while (($line = fgets(STDIN)) !== false) {
        [$cpu, $wall] = race($run, $processes, $n, $keys, $value);
        echo trim($line) === 'cpu' ? $cpu : $processes * $n / $wall * 1e9, "\n";
    }
}

/* ---- the conductor ------------------------------------------------------------------------------ */

function systems(array $options): array
{
    $extensions = extension_dir();
    $module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
    $size = max(64, intdiv(setting('ARRAY_SIZE', 8) * KEYS * 100, 1 << 20) * 2) . 'M';
    $posix = is_file("$extensions/posix.so") ? ["extension=$extensions/posix.so"] : [];
    $systems = there([
        'larder' => ["extension=$module", "larder.volatile_size=$size"],
        'larder immutable_cache' => ["extension=$module", 'larder.compat=immutable_cache', "immutable_cache.shm_size=$size"],
        'larder apcu' => ["extension=$module", 'larder.compat=apcu', "apc.shm_size=$size"],
        ...apcu_systems($size),
        'immutable_cache' => ["extension=$extensions/immutable_cache.so", 'immutable_cache.enable_cli=1', "immutable_cache.shm_size=$size"],
    ]);
    return array_map(fn(array $settings): array => [...$posix, ...$settings], $systems);
}

function conduct(array $options): void
{
    $rounds = (int) ($options['rounds'] ?? 5);
    $samples = $hello = [];
    rounds($rounds, __FILE__, systems($options), function (array $workers) use (&$samples, &$hello): void {
        foreach (['cpu', 'rate'] as $kind) {
            foreach ($workers as $system => $worker) {
                $samples[$system][$kind][] = ask($worker, $kind);
                $hello = $worker['hello'];
            }
        }
    });
    $value = value();
    $what = match (true) {
        is_int($value) => 'an int', is_string($value) => 'a string of ' . strlen($value) . ' bytes', default => 'an array of ' . count($value) . ' strings',
    };
    $figures = array_map(fn(array $by) => array_map('median', $by), $samples);
    printf("%d processes, %s fetches each of %s under 16 keys\n\n%-24s %16s %20s %14s\n", $hello['processes'], number_format($hello['n']), $what, '', 'CPU ns a fetch', 'fetches/s of all', 'CPU / larder');
    foreach ($figures as $system => $by) {
        printf("%-24s %16s %20s %14s\n", $system, number_format($by['cpu'], 1), number_format($by['rate']), number_format($by['cpu'] / $figures['larder']['cpu'], 2));
    }
    write_json($options['json'] ?? dirname(__DIR__, 2) . '/build/php/shm.json', ['bench' => 'php-shm', 'php' => PHP_VERSION, 'rounds' => $rounds, 'value' => $what, ...$hello, 'figures' => $figures, 'samples' => $samples]);
}

$options = getopt('', ['serve:', 'module:', 'rounds:', 'json:']);
isset($options['serve']) ? serve($options['serve']) : conduct($options);
