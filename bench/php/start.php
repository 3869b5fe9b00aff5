<?php
/* start.php - measures what an extension costs a short program: `php -r` without using the extension, and `php -r` that stores one value.
 * Compares Larder with APCu and with plain PHP, which take turns: CPU time (user and system, of the whole process) and minor page faults,
 * means of N starts (default: 300).
 *
 *   php bench/php/start.php [--module=FILE] [--starts=N] */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

$options = getopt('', ['module:', 'starts:']);
$extensions = rtrim((string) shell_exec('php-config --extension-dir'));
$module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
$larder = ['-d', "extension=$module"];
$apcu = ['-d', "extension=$extensions/apcu.so", '-d', 'apc.enable_cli=1'];
$programs = [
    'php alone' => ['-r', 'exit(0);'],
    'larder loaded' => [...$larder, '-r', 'exit(0);'],
    'apcu loaded' => [...$apcu, '-r', 'exit(0);'],
    'larder stores' => [...$larder, '-r', 'exit(Larder\VolatileCache::set("key", 5) && Larder\VolatileCache::get("key") === 5 ? 0 : 1);'],
    'apcu stores' => [...$apcu, '-r', 'exit(apcu_store("key", 5) && apcu_fetch("key") === 5 ? 0 : 1);'],
];

/** Returns the microseconds of CPU time and the minor faults of one start. */
function measure(array $arguments): array
{
    $usage = fn(): array => getrusage(1);
    $before = $usage();
    $process = proc_open([PHP_BINARY, '-n', ...$arguments], [], $pipes);
    proc_close($process) === 0 || fail("failed: " . implode(' ', $arguments) . "\n");
    $after = $usage();
    $time = fn(array $u): float => ($u['ru_utime.tv_sec'] + $u['ru_stime.tv_sec']) * 1e6 + $u['ru_utime.tv_usec'] + $u['ru_stime.tv_usec'];
    return [$time($after) - $time($before), $after['ru_minflt'] - $before['ru_minflt']];
}

$sums = array_fill_keys(array_keys($programs), [[], []]);
for ($i = 0, $starts = (int) ($options['starts'] ?? 300); $i < $starts; $i++) {
    foreach ($programs as $name => $arguments) {
        foreach (measure($arguments) as $what => $figure) {
            $sums[$name][$what][] = $figure;
        }
    }
}
$median = function (array $all): float { sort($all); return $all[count($all) >> 1]; };
$time = array_map(fn(array $of): float => $median($of[0]), $sums);
$faults = array_map(fn(array $of): float => $median($of[1]), $sums);
printf("%-16s%12s%16s\n", 'medians', 'CPU us', 'minor faults');
foreach ($programs as $name => $_) {
    printf("%-16s%12.0f%16.0f\n", $name, $time[$name], $faults[$name]);
}
printf("stores, larder/apcu: CPU %.2f, faults %.2f\n", $time['larder stores'] / $time['apcu stores'], $faults['larder stores'] / $faults['apcu stores']);
printf("loaded, what it adds, larder/apcu: CPU %.2f, faults %.2f\n", ($time['larder loaded'] - $time['php alone']) / max(1, $time['apcu loaded'] - $time['php alone']),
    ($faults['larder loaded'] - $faults['php alone']) / max(1, $faults['apcu loaded'] - $faults['php alone']));
