<?php
/* full.php - stores new keys in a full cache of 16 MB. Measures the time of a write that must evict something, and how many of the last
 * 1,000 values can be fetched afterwards. Compares Larder with APCu, with PHP's serializer and with igbinary. When APCu is full, it drops
 * all its entries.
 *
 *   php bench/php/full.php [--module=FILE] [--rounds=N] [--only=KIND,...]
 *
 * Each measurement runs in a new process; systems and kinds of values take turns. Times are the median CPU time per write in microseconds.
 * The ratio is the time of APCu with its faster serializer divided by the time of Larder. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';
require __DIR__ . '/conductor.php';

const MEGABYTES = 16;
const LAST = 1000;

final class Money { public function __construct(public int $amount, public string $currency) {} }

/** For each kind, returns how many values to store first (enough to fill APCu), and a function that makes the value for a number. */
function kinds(): array
{
    $row = fn(int $i, int $j): array => ['id' => $i + $j, 'name' => "customer $j of $i", 'active' => true];
    $kinds = [
        'int' => [600_000, fn(int $i): int => $i],
        'string of 40 bytes' => [400_000, fn(int $i): string => str_pad("value $i", 40, '.')],
        'string of 2 KB' => [30_000, fn(int $i): string => str_repeat(md5((string) $i), 64)],
        'array of 10' => [100_000, fn(int $i): array => range($i, $i + 9)],
        'object' => [200_000, fn(int $i): Money => new Money($i, 'EUR')],
        'ten rows' => [30_000, fn(int $i): array => array_map(fn(int $j): array => $row($i, $j), range(1, 10))],
    ];
    $all = array_column($kinds, 1);
    return $kinds + ['mixed' => [100_000, fn(int $i): mixed => $all[crc32((string) $i) % count($all)]($i)]];
}

/** Runs in the measured process: prints the nanoseconds of one write, and how many of the last values can be fetched. */
function measure(string $system, string $kind): void
{
    [$before, $make] = kinds()[$kind];
    $larder = $system === 'larder';
    $count = intdiv($before, 4);
    $spent = 0.0;
    for ($i = 0; $i < $before; $i++) {
        $larder ? Larder\VolatileCache::set("key $i", $make($i)) : apcu_store("key $i", $make($i));
    }
    for ($end = $before + $count; $i < $end;) {
        for ($values = []; count($values) < LAST; $i++) $values["key $i"] = $make($i);
        $start = cpu();
        if ($larder) {
            foreach ($values as $key => $value) Larder\VolatileCache::set($key, $value);
        } else {
            foreach ($values as $key => $value) apcu_store($key, $value);
        }
        $spent += cpu() - $start;
        $done = ($done ?? 0) + LAST;
    }
    $found = array_filter(array_map(fn(string $key) => $larder ? Larder\VolatileCache::get($key) : apcu_fetch($key), array_keys($values)), fn($value) => $value !== null && $value !== false);
    foreach ($found as $n => $value) {
        if (serialize($value) !== serialize(array_values($values)[$n])) exit(1);
    }
    echo $spent / $done, ' ', count($found);
}

$options = getopt('', ['module:', 'rounds:', 'only:', 'measure:']);
if (isset($options['measure'])) {
    measure(...explode('|', $options['measure']));
    exit(0);
}
$module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
$systems = there(['larder' => ["extension=$module", 'larder.volatile_size=' . MEGABYTES . 'M'], ...array_diff_key(apcu_systems(MEGABYTES . 'M'), ['apcu default' => 0])]);
count($systems) > 1 || exit("full: skipped: APCu is missing (tools/setup.sh bench-php installs it)\n");
$kinds = isset($options['only']) ? explode(',', $options['only']) : array_keys(kinds());
$times = $found = [];
for ($round = 0; $round < (int) ($options['rounds'] ?? 5); $round++) {
    foreach ($kinds as $kind) {
        foreach ($systems as $system => $settings) {
            [$output, $code] = run_php(['memory_limit=1G', ...$settings], __FILE__, "--measure=$system|$kind");
            if ($code !== 0) fail("$system, $kind: a wrong value, or exit code $code\n");
            [$times[$kind][$system][], $found[$kind][$system][]] = array_map(floatval(...), explode(' ', $output[0]));
        }
    }
}
printf("%-22s", 'us for a store');
foreach (array_keys($systems) as $system) printf('%15s', $system);
printf("%20s   of the last %d are there\n", 'better/larder', LAST);
foreach ($times as $kind => $by) {
    $us = array_map(fn(array $all): float => median($all) / 1e3, $by);
    printf('%-22s' . str_repeat('%15.2f', count($us)), $kind, ...array_values($us));
    printf("%20.2f   %s\n", min(array_diff_key($us, ['larder' => 0])) / $us['larder'], implode(' / ', array_map(fn(array $all): float => median($all), $found[$kind])));
}
