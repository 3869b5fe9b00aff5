<?php
/* held.php - measures one request that gets 20,000 different arrays and strings, and keeps all of them. Prints the number of copied values,
 * and the time of a get: for the first 1,000 values, for the last 1,000 values, and for both when all values are fetched once more. Exit
 * code 1 if a value was copied.
 *
 *   php bench/php/held.php [--module=FILE] [--values=N] [--rounds=N]
 *
 * Each round runs in a new process. The figures are medians of CPU time. The store is so large that Larder never searches for values that
 * are still in use. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

use Larder\VolatileCache as Cache;

$options = getopt('', ['module:', 'values:', 'rounds:', 'one']);
$values = (int) ($options['values'] ?? 20_000);

if (!isset($options['one'])) {
    $module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
    $command = [PHP_BINARY, '-n', '-d', "extension=$module", '-d', 'larder.volatile_size=4G', __FILE__, '--one', "--values=$values"];
    $rounds = [];
    for ($i = 0; $i < (int) ($options['rounds'] ?? 9); $i++) {
        $rounds[] = json_decode((string) shell_exec(implode(' ', array_map(escapeshellarg(...), $command))), true, 512, JSON_THROW_ON_ERROR);
    }
    $median = function (string $name) use ($rounds): float {
        $all = array_column($rounds, $name);
        sort($all);
        return $all[intdiv(count($all), 2)];
    };
    $copies = (int) max(array_column($rounds, 'copies'));
    printf("%d different values in one request: %d copies\n", $values, $copies);
    printf("  first 1,000 gets  %6.3f us each\n  last 1,000 gets   %6.3f us each (x %.2f)\n", $median('first'), $median('last'), $median('last') / $median('first'));
    printf("  once more: first  %6.3f us each\n             last   %6.3f us each\n", $median('first_again'), $median('last_again'));
    exit($copies === 0 ? 0 : 1);
}

function cpu(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] * 1e6 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_sec'] * 1e6 + $usage['ru_stime.tv_usec'];
}

$keys = [];
for ($i = 0; $i < $values; $i++) {
    $keys[] = "key $i";
    Cache::set("key $i", $i % 2 === 0 ? ['id' => $i, 'tags' => ['a', "tag $i"]] : str_repeat("$i ", 20)) || fail("key $i was not stored\n");
}
Cache::get('key 0');
$before = Cache::info()->copies;
$kept = [];
$times = [];
foreach (['', '_again'] as $again) {
    foreach (array_chunk($keys, 1000) as $part => $chunk) {
        $at = cpu();
        foreach ($chunk as $key) {
            $kept[$key] = Cache::get($key);
        }
        $took = (cpu() - $at) / 1000;
        $times["first$again"] ??= $took;
        $times["last$again"] = $took;
    }
}
foreach ($kept as $key => $value) {
    $id = is_array($value) ? $value['id'] : (int) $value;
    $id === (int) substr($key, 4) || fail("$key gave a wrong value\n");
}
echo json_encode(['copies' => Cache::info()->copies - $before] + $times);
