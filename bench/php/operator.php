<?php

/* operator.php - runs the command `larder` on a named store with a million entries while another process writes. Prints the times of `top`,
 * `keys PREFIX` and `keys`, and the longest write meanwhile. A write counts as held up if it took more than 5 ms although no other process
 * got the processor. Exit code 1 if more writes are held up with the command than without.
 *
 *   php bench/php/operator.php [--entries=N] */

declare(strict_types=1);

const LIMIT = 5e6; // nanoseconds; a longer write counts as held up

$project = dirname(__DIR__, 2);
$entries = (int) (getopt('', ['entries:'])['entries'] ?? 1000000);
$folder = '/dev/shm/larder-operator-' . getmypid();
mkdir($folder, 0700);
register_shutdown_function(static fn() => exec('rm -rf ' . escapeshellarg($folder)));
$extensions = rtrim((string) shell_exec('php-config --extension-dir'));
$php = [PHP_BINARY, '-n', '-d', "extension=$project/php/modules/larder.so", '-d', "extension=$extensions/posix.so", '-d', "larder.path=$folder", '-d', 'larder.volatile_size=256M'];

/** @param list<string> $command */
function start(array $command): array
{
    $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
    is_resource($process) || throw new RuntimeException('not started');
    return [$process, ...$pipes];
}

/** Return the CPU seconds of the child processes that have ended. */
function cpu(): float
{
    $usage = getrusage(1);
    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'] + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

/** Run the command. @return array{string, float, float} its output, the seconds that it took, and its seconds of CPU time */
function larder(string ...$arguments): array
{
    global $php, $project, $folder;
    $start = hrtime(true);
    $before = cpu();
    [$process, , $output] = start([...$php, "$project/ops/main.php", '--folder', $folder, ...$arguments]);
    $text = (string) stream_get_contents($output);
    proc_close($process) === 0 || throw new RuntimeException('larder failed: ' . implode(' ', $arguments));
    return [$text, (hrtime(true) - $start) / 1e9, cpu() - $before];
}

[$process, , $output] = start([...$php, '-r', "for (\$i = 0; \$i < $entries; \$i++) Larder\\VolatileCache::set(\"k:\$i\", \$i); echo Larder\\VolatileCache::info()->entry_count;"]);
$stored = (int) stream_get_contents($output);
proc_close($process);
$stored === $entries || throw new RuntimeException("only $stored entries fit");

$writer = <<<'PHP'
    $held = $worst = $writes = 0;
    $switches = static fn(): int => getrusage()['ru_nivcsw'];
    stream_set_blocking(STDIN, false);
    echo "up\n";
    while (fgets(STDIN) === false) {
        for ($k = 0, $before = $switches(); $k < 1000; $k++, $writes++) {
            $start = hrtime(true);
            Larder\VolatileCache::set('w:' . $writes % 5000, "value $writes"); // an int would be changed in place without the lock
            $took = hrtime(true) - $start;
            if ($took > 1e6) {
                $alone = ($now = $switches()) === $before;
                $before = $now;
                $worst = $alone ? max($worst, $took) : $worst;
                $held += (int) ($alone && $took > LIMIT);
            }
        }
    }
    echo json_encode([$writes, $held, $worst]);
    PHP;
printf("%-24s %10s %10s %12s %26s %10s\n", number_format($entries) . ' entries', 'median s', 'CPU s', 'writes/s', 'longest write, above 1 ms', 'held up');
$bad = 0;
foreach (['nobody looks' => null, 'top' => ['top', '--json', '-n', '10', '--prefix', 'k:'], 'keys k:99999' => ['keys', 'k:99999'], 'keys' => ['keys', '--json']] as $name => $command) {
    [$process, $input, $output] = start([...$php, '-r', strtr($writer, ['LIMIT' => (string) LIMIT])]);
    fgets($output);
    $times = $cpus = [];
    $begin = hrtime(true);
    for ($i = 0; $i < 7; $i++) {
        if ($command === null) {
            usleep(300000);
            continue;
        }
        [$text, $times[], $cpus[]] = larder(...$command);
        $count = $name === 'top' ? count(json_decode($text, true)) : ($name === 'keys' ? count(json_decode($text, true)) >= $entries : substr_count($text, "\n"));
        $wanted = $name === 'top' ? 10 : ($name === 'keys' ? true : count(array_filter([99999, ...range(999990, 999999)], static fn(int $n): bool => $n < $entries)));
        $count === $wanted || throw new RuntimeException("$name gave $count");
    }
    fwrite($input, "\n");
    $seconds = (hrtime(true) - $begin) / 1e9;
    [$writes, $held, $worst] = json_decode((string) stream_get_contents($output), true);
    proc_close($process);
    sort($times);
    sort($cpus);
    printf("%-24s %10s %10s %12s %26s %10d\n", $name, ...array_map(static fn(array $all): string => $all === [] ? '' : sprintf('%.2f', $all[3]), [$times, $cpus]), ...[ number_format($writes / $seconds), $worst < 1e6 ? 'none' : sprintf('%.1f ms', $worst / 1e6), $held]);
    $usual ??= $held;
    $bad = max($bad, $held - $usual);
}
exit($bad > 0 ? 1 : 0);
