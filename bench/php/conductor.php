<?php

/* conductor.php - the common part of the command-line benchmarks. Each system is measured in a process of its own, started with
 * its extensions and settings, that answers questions with figures; rounds() asks all of them in turn. */

declare(strict_types=1);

/* ---- in a system's process ---------------------------------------------------------------------- */

/** Returns the nanoseconds of CPU time that this process has used. */
function cpu(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
}

function pin(int $core): void
{
    exec("taskset -cp $core " . getmypid() . ' >/dev/null 2>&1');
}

/* ---- in the conductor --------------------------------------------------------------------------- */

function extension_dir(): string
{
    return rtrim((string) shell_exec('php-config --extension-dir'));
}

/** APCu's settings by the name of the system. */
function apcu_systems(string $size): array
{
    $folder = extension_dir();
    $apcu = ["extension=$folder/apcu.so", 'apc.enabled=1', 'apc.enable_cli=1', "apc.shm_size=$size"];
    return [
        'apcu default' => [...$apcu, 'apc.serializer=default'],
        'apcu php' => [...$apcu, 'apc.serializer=php'],
        'apcu igbinary' => ["extension=$folder/igbinary.so", ...$apcu, 'apc.serializer=igbinary'],
    ];
}

/** phpredis on a Unix socket, with igbinary's bytes. */
function redis_client(string $socket): Redis
{
    $redis = new Redis();
    $redis->connect($socket);
    $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_IGBINARY);
    return $redis;
}

/** Settings by system of Larder, APCu with igbinary, and phpredis. */
function peers(string $module, string ...$larder): array
{
    $folder = extension_dir();
    return [
        'larder' => ["extension=$module", ...$larder],
        'apcu' => apcu_systems('64M')['apcu igbinary'],
        'redis' => ["extension=$folder/igbinary.so", "extension=$folder/redis.so"],
    ];
}

/** The systems whose extensions are there. */
function there(array $systems): array
{
    $missing = fn(string $setting): bool => str_starts_with($setting, 'extension=') && !is_file(substr($setting, 10));
    return array_filter($systems, fn(array $settings): bool => array_filter($settings, $missing) === []);
}

/** The command of a PHP without php.ini that runs a file: settings as for -d, then the file and its arguments. */
function php_command(array $settings, string ...$file): array
{
    $command = [PHP_BINARY, '-n'];
    foreach ($settings as $setting) {
        array_push($command, '-d', $setting);
    }
    return [...$command, ...$file];
}

/** Runs such a command and returns its lines and exit code. @return array{list<string>, int} */
function run_php(array $settings, string ...$file): array
{
    exec('exec ' . implode(' ', array_map(escapeshellarg(...), php_command($settings, ...$file))), $lines, $code);
    return [$lines, $code];
}

/** Starts "FILE --serve=SYSTEM"; its first line, JSON, is kept as "hello". */
function start(string $file, string $system, array $settings): array
{
    $command = php_command([...$settings, 'memory_limit=1G'], $file, "--serve=$system");
    $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
    $hello = json_decode((string) fgets($pipes[1]), true);
    if ($hello === null) {
        fwrite(STDERR, basename($file) . ": $system did not start\n");
        exit(1);
    }
    return ['process' => $process, 'to' => $pipes[0], 'from' => $pipes[1], 'hello' => $hello];
}

function ask(array $worker, string $question): float
{
    fwrite($worker['to'], "$question\n");
    $answer = fgets($worker['from']);
    if ($answer === false || !is_numeric(trim($answer))) {
        fwrite(STDERR, "\"$question\" failed: $answer\n");
        exit(1);
    }
    return (float) $answer;
}

/**
 * Calls $ask with the workers in each round. Each round has new workers, because a request that is older than a minute gets copies of
 * values that it has not used before.
 */
function rounds(int $rounds, string $file, array $systems, callable $ask): void
{
    for ($round = 0; $round < $rounds; $round++) {
        $workers = [];
        foreach ($systems as $system => $settings) {
            $workers[$system] = start($file, $system, $settings);
        }
        $ask($workers);
        foreach ($workers as $worker) {
            fclose($worker['to']);
            proc_close($worker['process']);
        }
    }
}

function median(array $numbers): float
{
    sort($numbers);
    $middle = intdiv(count($numbers), 2);
    return count($numbers) % 2 ? $numbers[$middle] : ($numbers[$middle - 1] + $numbers[$middle]) / 2;
}

function write_json(string $file, array $figures): void
{
    is_dir(dirname($file)) || mkdir(dirname($file), 0777, true);
    file_put_contents($file, json_encode($figures, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n");
    echo "\nwritten to $file\n";
}
