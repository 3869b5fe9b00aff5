<?php
/* endless.php - a request that does not end: 1,000,000 gets of 100,000 different arrays, of which the last ten are kept.
 * How many had to be copied, and what a get costs beside the first 1,000, which nothing stood in the way of. Then the store
 * is full, the gets go on, and another process stores 100 values of four megabytes. Exit code 1 where one was refused.
 *
 *   php bench/php/endless.php [--module=FILE] [--gets=N] [--keys=N]
 *
 * Times are CPU time of the process. */

declare(strict_types=1);

use Larder\VolatileCache as Cache;

$options = getopt('', ['module:', 'gets:', 'keys:']);
if (!extension_loaded('larder')) {
    $module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
    $command = [PHP_BINARY, '-n', '-d', "extension=$module", '-d', 'larder.volatile_size=512M', __FILE__, ...array_slice($argv, 1)];
    passthru(implode(' ', array_map(escapeshellarg(...), $command)), $code);
    exit($code);
}
$gets = (int) ($options['gets'] ?? 1_000_000);
$keys = (int) ($options['keys'] ?? 100_000);

function cpu(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] * 1e6 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_sec'] * 1e6 + $usage['ru_stime.tv_usec'];
}

for ($i = 0; $i < $keys; $i++) {
    Cache::set("key $i", ['id' => $i, 'name' => "name $i", 'tags' => ['a', 'b', "tag $i"], 'text' => str_repeat("$i ", 20)]) || exit("key $i was not stored\n");
}
$kept = array_fill(0, 10, null);
$costs = [];
$spent = 0.0;
for ($round = 0; $round < $gets / 1000; $round++) {
    $start = cpu();
    for ($i = $round * 1000, $end = $i + 1000; $i < $end; $i++) {
        $kept[$i % 10] = Cache::get('key ' . $i % $keys);
    }
    $costs[] = cpu() - $start;
    foreach ($kept as $at => $value) {
        $i = $end - 10 + $at;
        $value['id'] === $i % $keys && $value['tags'][2] === 'tag ' . $i % $keys || exit("get $i gave a wrong value\n");
    }
}
$first = $costs[0] / 1000;
$mean = array_sum($costs) / count($costs) / 1000;
printf("%d gets of %d arrays, the last ten kept\n", $gets, $keys);
printf("  first 1,000   %8.2f us each\n  mean          %8.2f us each, x%.2f\n", $first, $mean, $mean / $first);

/* Once more, and what a get takes of the request's memory tells a copy from what is shared. */
$copied = 0;
for ($i = 0; $i < $gets; $i++) {
    $key = 'key ' . $i % $keys;
    $kept[$i % 10] = null;
    $before = memory_get_usage();
    $kept[$i % 10] = Cache::get($key);
    $copied += memory_get_usage() > $before ? 1 : 0;
}
printf("  not copied    %8.2f %%\n", 100 - 100 * $copied / $gets);

/* What was evicted is stored again, so that this never ends and never sleeps. */
if (!function_exists('pcntl_fork')) {
    exit("  large values of another process: needs ext-pcntl\n");
}
$child = pcntl_fork();
if ($child === 0) {
    for ($i = 0; Cache::info()->evictions < 1000; $i++) {
        Cache::set("filler $i", str_repeat('f', 1000));
    }
    $stored = 0;
    for ($i = 0; $i < 100; $i++) {
        $stored += (int) Cache::set('large', str_repeat(chr(65 + $i % 26), 4_000_000));
        usleep(1000);
    }
    exit($stored);
}
for ($i = $made = 0; pcntl_waitpid($child, $status, WNOHANG) === 0; $i++) {
    $number = $i % $keys;
    $value = Cache::get("key $number");
    if ($value === null) {
        $made++;
        Cache::set("key $number", $value = ['id' => $number, 'tags' => ['a', 'b', "tag $number"], 'text' => str_repeat("$number ", 20)]);
    }
    $value['id'] === $number && $value['tags'][2] === "tag $number" || exit("key $number gave a wrong value\n");
    $kept[$i % 10] = $value;
}
$stored = pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 0;
printf("  stored meanwhile %5d of 100 values of 4 MB, during %d gets, %d of them misses\n", $stored, $i, $made);
exit($stored === 100 ? 0 : 1);
