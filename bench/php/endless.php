<?php
/* endless.php - measures a request that does not end:
 *
 * 1. Gets of strings, arrays, objects and readonly objects, with and without scope(). Prints the share of gets that made a copy, as counted
 * by the store.
 * 2. 1,000,000 gets of 100,000 different arrays. Only the last ten results are kept. Prints how many gets made a copy, and compares the
 * mean time of a get with the mean time of the first 1,000 gets. Earlier borrows do not slow these first gets.
 * 3. In a full store, the gets continue, and another process stores 100 values of four megabytes. Exit code 1 if one of them is refused.
 *
 *   php bench/php/endless.php [--module=FILE] [--gets=N] [--keys=N]
 *
 * Times are CPU time of the process. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

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

class Row { public function __construct(public int $id, public string $text, public array $tags) {} }
final readonly class FixedRow { public function __construct(public int $id, public string $text, public array $tags) {} }

function make(string $kind, int $id): mixed
{
    $parts = ['id' => $id, 'text' => str_repeat("$id ", 200), 'tags' => ['a', 'b', "tag $id"]];
    return match ($kind) { 'strings' => "$id " . $parts['text'], 'arrays' => $parts, 'objects' => new Row(...$parts), 'readonly objects' => new FixedRow(...$parts) };
}

function id(mixed $value): int
{
    return is_string($value) ? (int) $value : (is_array($value) ? $value['id'] : $value->id);
}

$some = max(1, intdiv($gets, 20));
printf("%d gets of 3000 values of each kind, a tenth as many within scope(), the last ten kept\n  %-18s %10s %10s\n", $some, '', 'plain', 'scope()');
foreach (['strings', 'arrays', 'objects', 'readonly objects'] as $kind) {
    for ($i = 0; $i < 3000; $i++) {
        Cache::set("kind $i", make($kind, $i)) || fail("kind $i was not stored\n");
    }
    printf('  %-18s', $kind);
    foreach ([false, true] as $scoped) {
        $kept = [];
        $before = Cache::info();
        for ($i = 0, $end = $scoped ? intdiv($some, 10) : $some; $i < $end; $i++) { /* fewer rounds with scope(), because each call searches for values that are still in use */
            $key = 'kind ' . $i % 3000;
            $kept[$i % 10] = $scoped ? Larder\scope(fn() => Cache::get($key)) : Cache::get($key);
            id($kept[$i % 10]) === $i % 3000 || fail("$key gave a wrong value\n");
        }
        $after = Cache::info();
        printf(' %8.2f %%', 100 * ($after->copies - $before->copies) / ($after->hits - $before->hits));
    }
    echo "\n";
}
Cache::clear();

for ($i = 0; $i < $keys; $i++) {
    Cache::set("key $i", ['id' => $i, 'name' => "name $i", 'tags' => ['a', 'b', "tag $i"], 'text' => str_repeat("$i ", 20)]) || fail("key $i was not stored\n");
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
        $value['id'] === $i % $keys && $value['tags'][2] === 'tag ' . $i % $keys || fail("get $i gave a wrong value\n");
    }
}
$first = $costs[0] / 1000;
$mean = array_sum($costs) / count($costs) / 1000;
printf("%d gets of %d arrays, the last ten kept\n", $gets, $keys);
printf("  first 1,000   %8.2f us each\n  mean          %8.2f us each, x%.2f\n", $first, $mean, $mean / $first);

/* A get that allocates memory of the request has made a copy; otherwise its result is in the store. */
$copied = 0;
for ($i = 0; $i < $gets; $i++) {
    $key = 'key ' . $i % $keys;
    $kept[$i % 10] = null;
    $before = memory_get_usage();
    $kept[$i % 10] = Cache::get($key);
    $copied += memory_get_usage() > $before ? 1 : 0;
}
printf("  not copied    %8.2f %%\n", 100 - 100 * $copied / $gets);

/* Read values, and store evicted ones again, without a pause, while another process writes large values. */
if (!function_exists('pcntl_fork')) {
    exit("  large values of another process: skipped: needs ext-pcntl\n");
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
    $value['id'] === $number && $value['tags'][2] === "tag $number" || fail("key $number gave a wrong value\n");
    $kept[$i % 10] = $value;
}
$stored = pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 0;
printf("  stored meanwhile %5d of 100 values of 4 MB, during %d gets, %d of them misses\n", $stored, $i, $made);
exit($stored === 100 ? 0 : 1);
