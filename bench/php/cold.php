<?php
/* cold.php - measures the first writes of a new process to an empty store: 200 or 1,000 writes to 32 keys without a warm-up, then as many
 * fetches. Then clears the store ten times, and measures the writes after each clear. Compares Larder with APCu: with PHP's serializer, and
 * with igbinary.
 *
 *   php bench/php/cold.php [--module=FILE] [--rounds=N] [--only=KIND,...] [--json=FILE] [--record]
 *
 * - The time to open the store is not included (see bench/core/open_bench.c).
 * - Systems and kinds of values (kinds.php) take turns. Each measurement runs in a new process.
 * - Each measurement runs twice, and only the second run counts, so each system finds its code in the processor's caches. Otherwise only
 *   APCu would find it: APCu is measured twice in a row, once for each serializer.
 * - Times are the median CPU time per call in microseconds. A ratio is the time of APCu with its faster serializer divided by the time of
 *   Larder. --record writes the ratios into bench/results.json. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

require __DIR__ . '/conductor.php';
require __DIR__ . '/kinds.php';

const COUNTS = [200, 1000];
const KEYS = 32;
const CLEARS = 10; // number of clears; the writes after each clear are measured, and the clear itself is not

/** Runs in the measured process. Prints the nanoseconds of all writes, of all fetches, and of as many writes after a clear. */
function measure(string $system, string $kind, int $count): void
{
    $larder = $system === 'larder';
    $value = Kinds\kinds()[$kind];
    $larder ? Larder\VolatileCache::has('none') : apcu_exists('none');
    $began = cpu();
    if ($larder) {
        for ($i = 0; $i < $count; $i++) Larder\VolatileCache::set('key ' . $i % KEYS, $value);
    } else {
        for ($i = 0; $i < $count; $i++) apcu_store('key ' . $i % KEYS, $value);
    }
    $stored = cpu();
    if ($larder) {
        for ($i = 0; $i < $count; $i++) $found = Larder\VolatileCache::get('key ' . $i % KEYS);
    } else {
        for ($i = 0; $i < $count; $i++) $found = apcu_fetch('key ' . $i % KEYS);
    }
    $fetched = cpu();
    for ($i = 0; $i < KEYS; $i++) {
        $found = $larder ? Larder\VolatileCache::get("key $i") : apcu_fetch("key $i");
        if (serialize($found) !== serialize($value)) exit(1);
    }
    $pool = $larder ? Larder\VolatileCache::pool('cold') : null;
    $again = [];
    for ($clear = 0; $clear < CLEARS; $clear++) {
        $larder ? $pool->clear() : apcu_clear_cache();
        $start = cpu();
        if ($larder) {
            for ($i = 0; $i < $count; $i++) $pool->set('key ' . $i % KEYS, $value);
        } else {
            for ($i = 0; $i < $count; $i++) apcu_store('key ' . $i % KEYS, $value);
        }
        $again[] = cpu() - $start;
    }
    if (serialize($larder ? $pool->get('key 0') : apcu_fetch('key 0')) !== serialize($value)) exit(1);
    echo $stored - $began, ' ', $fetched - $stored, ' ', median($again);
}

/** @return array<string, list<string>> settings of php.ini by the name of the system */
function systems(string $module): array
{
    return there(['larder' => ["extension=$module"], ...array_diff_key(apcu_systems('256M'), ['apcu default' => 0])]);
}

/** Prints one line for each kind. Returns the ratios. */
function table(string $title, array $kinds): array
{
    $ratios = [];
    printf("\n%s, us each%12s%10s%15s%18s\n", str_pad($title, 18), 'larder', 'apcu php', 'apcu igbinary', 'the better/larder');
    foreach ($kinds as $kind => $by) {
        $ratios[$kind] = min(array_diff_key($by, ['larder' => 0])) / max(1e-9, $by['larder']);
        printf("  %-24s%10.2f%10.2f%15.2f%18.2f%s\n", $kind, $by['larder'] / 1e3, ($by['apcu php'] ?? NAN) / 1e3, ($by['apcu igbinary'] ?? NAN) / 1e3, $ratios[$kind], $ratios[$kind] < 1 ? ' -' : '');
    }
    printf("  %d of %d at least as fast as APCu's better serializer, geometric mean %.2fx\n", count(array_filter($ratios, fn($r) => $r >= 1)), count($ratios), exp(array_sum(array_map(log(...), $ratios)) / count($ratios)));
    return $ratios;
}

$options = getopt('', ['module:', 'rounds:', 'only:', 'json:', 'measure:', 'record']);
if (isset($options['measure'])) {
    [$system, $kind, $count] = explode('|', $options['measure']);
    measure($system, $kind, (int) $count);
    exit(0);
}
$systems = systems($options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so');
count($systems) > 1 || exit("cold: skipped: APCu is missing (tools/setup.sh bench-php installs it)\n");
$kinds = isset($options['only']) ? explode(',', $options['only']) : array_keys(Kinds\kinds());
$times = [];
for ($round = 0; $round < (int) ($options['rounds'] ?? 5); $round++) {
    foreach (COUNTS as $count) {
        foreach ($kinds as $kind) {
            foreach ($systems as $system => $settings) {
                for ($start = 0; $start < 2; $start++) {
                    [$output, $code] = run_php(['memory_limit=1G', ...$settings], __FILE__, "--measure=$system|$kind|$count");
                    if ($code !== 0) fail("$system, $kind, $count stores: a wrong value, or exit code $code\n");
                }
                [$stored, $fetched, $again] = explode(' ', $output[0]);
                $times['stores'][$count][$kind][$system][] = (float) $stored / $count;
                $times['fetches'][$count][$kind][$system][] = (float) $fetched / $count;
                $times['after a clear'][$count][$kind][$system][] = (float) $again / $count;
            }
        }
    }
}
$figures = $ratios = [];
foreach ($times as $call => $counts) {
    foreach ($counts as $count => $by) {
        $figures[$call][$count] = array_map(fn(array $samples) => array_map(median(...), $samples), $by);
        $ratios[$call][$count] = table("$count $call", $figures[$call][$count]);
    }
}
if (isset($options['json'])) {
    write_json($options['json'], ['bench' => 'php-cold', 'php' => PHP_VERSION, 'unit' => 'CPU ns per call of a fresh process, median', 'figures' => $figures, 'ratios' => $ratios, 'samples' => $times]);
}
if (isset($options['record'])) {
    require dirname(__DIR__) . '/Results.php';
    $round = fn(array $all): array => array_map(fn(float $ratio): float|int => Bench\Results::round($ratio, 2), $all);
    $command = 'php bench/php/cold.php --record';
    foreach (array_intersect_key($options, ['rounds' => 0, 'only' => 0]) as $option => $value) {
        $command .= " --$option=" . escapeshellarg($value);
    }
    Bench\Results::put('stores', ['command' => $command, 'keys' => KEYS, 'rounds' => (int) ($options['rounds'] ?? 5), 'unit' => "CPU time of APCu's better serializer to Larder's", 'ratios' => array_map(fn(array $counts): array => array_map($round, $counts), $ratios)]);
}
