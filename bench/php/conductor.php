<?php

/* conductor.php - the common part of the command-line benchmarks. Each system is measured in its own process, with the system's extensions
 * and settings. The benchmark sends questions to the process, and gets figures. rounds() starts new processes for each round. */

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

/** Connects phpredis to a Unix socket. Values are serialized with igbinary. */
function redis_client(string $socket): Redis
{
    $redis = new Redis();
    $redis->connect($socket);
    $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_IGBINARY);
    return $redis;
}

/** Returns the settings of Larder, APCu with igbinary, and phpredis, by the name of the system. */
function peers(string $module, string ...$larder): array
{
    $folder = extension_dir();
    return [
        'larder' => ["extension=$module", ...$larder],
        'apcu' => apcu_systems('64M')['apcu igbinary'],
        'redis' => ["extension=$folder/igbinary.so", "extension=$folder/redis.so"],
    ];
}

/** Returns the systems whose extensions are installed. */
function there(array $systems): array
{
    $missing = fn(string $setting): bool => str_starts_with($setting, 'extension=') && !is_file(substr($setting, 10));
    return array_filter($systems, fn(array $settings): bool => array_filter($settings, $missing) === []);
}

/**
 * Returns the command that runs a file in a PHP without php.ini. $settings are settings as for -d. $file is the file's name, followed by
 * its arguments.
 */
function php_command(array $settings, string ...$file): array
{
    $command = [PHP_BINARY, '-n'];
    foreach ($settings as $setting) {
        array_push($command, '-d', $setting);
    }
    return [...$command, ...$file];
}

/** Runs the command of php_command(). @return array{list<string>, int} the lines of its output, and its exit code */
function run_php(array $settings, string ...$file): array
{
    exec('exec ' . implode(' ', array_map(escapeshellarg(...), php_command($settings, ...$file))), $lines, $code);
    return [$lines, $code];
}

/** Starts "FILE --serve=SYSTEM". The first line of its output must be JSON; "hello" of the result is this JSON, decoded. */
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
 * Starts new workers for each round, and calls $ask with them. A worker must not be used longer: when its request is older than a minute,
 * Larder copies each value that the request fetches for the first time.
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
