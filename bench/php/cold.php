<?php
/* cold.php - the first stores of a fresh process into an empty store: 32, 200 and 2,000 over 32 keys, without a warm-up,
 * beside APCu. Opening is not in it (bench/core/open_bench.c).
 *
 *   php bench/php/cold.php [--module=FILE] [--rounds=N]
 *
 * Each measurement has a process of its own, which fetches what it stored and compares; systems and cases take turns. Each
 * process starts twice and the second one counts: else APCu, which is measured with two serializers in a row, would find its code in
 * the processor's caches and Larder would not.
 * Times are microseconds of the clock a store, medians. */

declare(strict_types=1);

final class Entity { public int $id = 7; public string $name = 'entity'; public ?Entity $next = null; }

/** The value of a case. */
function value(string $case): mixed
{
    $entities = fn(int $count) => array_map(function (int $i) { $e = new Entity; $e->id = $i; $e->name = "entity $i"; return $e; }, range(1, $count));
    $linked = function (int $count) { $head = null; while ($count-- > 0) { $e = new Entity; $e->next = $head; $head = $e; } return $head; };
    return match ($case) {
        'int' => 5,
        'short string' => 'a short string',
        'string of 100 KB' => str_repeat('x', 100_000),
        'array of 10' => range(1, 10),
        'array of 1,000' => array_map(fn(int $i) => "value $i", range(1, 1000)),
        'nested' => array_map(fn(int $i) => ['name' => "setting $i", 'limits' => ['min' => $i, 'max' => 2 * $i], 'on' => true], range(1, 50)),
        'one object' => new Entity,
        'cycle of three' => (function () use ($entities) { [$a, $b, $c] = $entities(3); $a->next = $b; $b->next = $c; $c->next = $a; return $a; })(),
        '1,000 entities' => $entities(1000),
        'dates' => [new DateTimeImmutable('2024-02-29 12:00:00 UTC'), new DateTime('2030-01-01 UTC')],
        'list of 100' => $linked(100),
    };
}

const CASES = ['int', 'short string', 'string of 100 KB', 'array of 10', 'array of 1,000', 'nested', 'one object', 'cycle of three', '1,000 entities', 'dates', 'list of 100'];
const COUNTS = [32, 200, 2000];

/** In the measured process: prints nanoseconds for all stores. */
function measure(string $system, string $case, int $count): void
{
    $larder = $system === 'larder';
    $value = value($case);
    $larder ? Larder\VolatileCache::has('none') : apcu_exists('none');
    $start = hrtime(true);
    if ($larder) {
        for ($i = 0; $i < $count; $i++) Larder\VolatileCache::set('key ' . $i % 32, $value);
    } else {
        for ($i = 0; $i < $count; $i++) apcu_store('key ' . $i % 32, $value);
    }
    $took = hrtime(true) - $start;
    for ($i = 0; $i < 32; $i++) {
        $found = $larder ? Larder\VolatileCache::get("key $i") : apcu_fetch("key $i");
        if (serialize($found) !== serialize($value)) exit(1);
    }
    echo $took;
}

$options = getopt('', ['module:', 'rounds:', 'measure:'], $rest);
if (isset($options['measure'])) {
    measure(...array_map(fn($v) => is_numeric($v) ? (int) $v : $v, explode('|', $options['measure'])));
    exit(0);
}
$extensions = rtrim((string) shell_exec('php-config --extension-dir'));
$module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
$systems = [
    'larder' => ["extension=$module"],
    'apcu php' => ["extension=$extensions/apcu.so", 'apc.enable_cli=1', 'apc.shm_size=256M', 'apc.serializer=php'],
    'apcu igbinary' => ["extension=$extensions/igbinary.so", "extension=$extensions/apcu.so", 'apc.enable_cli=1', 'apc.shm_size=256M', 'apc.serializer=igbinary'],
];
$times = [];
for ($round = 0; $round < (int) ($options['rounds'] ?? 11); $round++) {
    foreach (COUNTS as $count) {
        foreach (CASES as $case) {
            foreach ($systems as $system => $settings) {
                $command = [PHP_BINARY, '-n', '-d', 'memory_limit=1G'];
                foreach ($settings as $setting) array_push($command, '-d', $setting);
                array_push($command, __FILE__, "--measure=$system|$case|$count");
                for ($start = 0; $start < 2; $start++) {
                    $output = [];
                    exec(implode(' ', array_map(escapeshellarg(...), $command)), $output, $code);
                    if ($code !== 0) exit("$system, $case, $count stores: a wrong value, or exit code $code\n");
                }
                $times[$count][$case][$system][] = (int) implode('', $output) / $count / 1000;
            }
        }
    }
}
foreach ($times as $count => $cases) {
    printf("\n%d stores, us each%18s%10s%15s%18s\n", $count, 'larder', 'apcu php', 'apcu igbinary', 'larder/the better');
    foreach ($cases as $case => $by) {
        $median = array_map(function (array $all) { sort($all); return $all[count($all) >> 1]; }, $by);
        $better = min(array_diff_key($median, ['larder' => 0]));
        printf("  %-22s%14.2f%10.2f%15.2f%18.2f\n", $case, $median['larder'], $median['apcu php'], $median['apcu igbinary'], $median['larder'] / $better);
    }
}
