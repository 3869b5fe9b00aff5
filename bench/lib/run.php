<?php

/* Measures the cost of the PHP library, and compares it with the extension's own calls and with Symfony's adapter for APCu. Figures are CPU
 * time per call without the loop: medians of interleaved rounds in one process.
 *
 *   php bench/lib/run.php [--rounds=N] [--entries=N] [--json=FILE]
 *
 * It starts itself again with the extensions, with opcache and without a JIT, as servers run. */

declare(strict_types=1);

use Larder\Cache\ItemPool;
use Larder\Cache\SimpleCache;
use Larder\Cache\Tags;
use Larder\Cache\VolatileStore;
use Larder\Symfony\LarderAdapter;
use Larder\Symfony\LarderTagAwareAdapter;
use Larder\VolatileCache;
use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Contracts\Cache\ItemInterface;

$project = dirname(__DIR__, 2);
$lib = getenv('LARDER_LIB') ?: "$project/build/lib";
if (!is_file("$lib/vendor/autoload.php")) {
    exit("bench-lib: skipped: packages/php/tests/run.sh --install-only has not installed Symfony\n");
}
if (!extension_loaded('larder')) {
    $folder = rtrim((string) shell_exec('php-config --extension-dir'));
    $settings = ["extension=$project/php/modules/larder.so", "extension=$folder/apcu.so", 'apc.enable_cli=1', 'apc.shm_size=512M', "zend_extension=$folder/opcache.so", 'opcache.enable_cli=1', 'memory_limit=1G', 'larder.volatile_size=512M', 'error_reporting=8191'];
    $command = [PHP_BINARY, '-n'];
    foreach ($settings as $setting) {
        array_push($command, '-d', $setting);
    }
    $process = proc_open([...$command, __FILE__, ...array_slice($argv, 1)], [STDIN, STDOUT, STDERR], $pipes);
    exit(proc_close($process));
}
require "$lib/vendor/autoload.php";
$options = getopt('', ['rounds:', 'entries:', 'json:']);
$rounds = (int) ($options['rounds'] ?? 15);
$entries = (int) ($options['entries'] ?? 100000);

function cpu(): float
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
}

/** @param array<string, \Closure(int): mixed> $cases each function makes this number of calls, and returns the last value */
function measure(array $cases, array $expected, int $rounds): array
{
    $cases['loop'] = function (int $n): mixed {
        for ($v = null; $n > 0; $n--) {
            $v = $n;
        }
        return $v;
    };
    $times = $counts = [];
    foreach ($cases as $name => $case) { // find the number of calls that take some 8 ms together
        for ($n = 16;; $n *= 2) {
            $start = cpu();
            $case($n);
            if (cpu() - $start > 4e6) {
                break;
            }
        }
        $counts[$name] = 2 * $n;
    }
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($cases as $name => $case) {
            $start = cpu();
            $value = $case($counts[$name]);
            $times[$name][] = (cpu() - $start) / $counts[$name];
            if (array_key_exists($name, $expected) && $value != $expected[$name]) {
                throw new RuntimeException("$name gave a wrong value: " . substr((string) json_encode($value), 0, 200));
            }
        }
    }
    foreach ($times as &$figures) {
        sort($figures);
        $figures = $figures[intdiv(count($figures), 2)];
    }
    return array_map(fn(float $figure): float => max(0.1, $figure - $times['loop']), $times);
}

/** @param list<array{string, string, string, float}> $rows each: a title, a case, the case to compare with, the highest ratio */
function show(array $figures, array $rows): void
{
    foreach ($rows as [$title, $case, $beside, $limit]) {
        $ratio = $figures[$case] / $figures[$beside];
        printf("%-48s %9.0f ns   beside %-26s %9.0f ns   %7.3fx   (wanted: at most %sx) %s\n", $title, $figures[$case], $beside, $figures[$beside], $ratio, rtrim(rtrim(sprintf('%.2f', $limit), '0'), '.'), $ratio <= $limit ? '' : 'NOT REACHED');
    }
}

$figures = [];

/* PSR-16, and tags */
$cache = new SimpleCache('bench');
$pool = new ItemPool('bench items');
$native = VolatileCache::pool('bench native');
VolatileCache::set('key.of.ten', 42);
$native->set('key.of.ten', 42);
$cache->set('key.of.ten', 42);
$pool->save($pool->getItem('plain')->set(42));
$pool->save($pool->getItem('tagged')->set(42)->setTags(['first', 'second']));
$symfony = new LarderTagAwareAdapter('bench tags');
$symfony->get('plain', fn(): int => 42);
$symfony->get('tagged', fn(ItemInterface $item): int => $item->tag(['first', 'second']) ? 42 : 0);
$key = 'key.of.ten';
$values = ['int' => 42, 'array' => array_combine(array_map(fn(int $i): string => "key $i", range(1, 1000)), array_map(fn(int $i): string => "value $i", range(1, 1000)))];
$cases = [
    'VolatileCache::get' => function (int $n) use ($key): mixed { for ($v = null; $n > 0; $n--) { $v = VolatileCache::get($key); } return $v; },
    'Pool::get' => function (int $n) use ($key, $native): mixed { for ($v = null; $n > 0; $n--) { $v = $native->get($key); } return $v; },
    'SimpleCache::get' => function (int $n) use ($key, $cache): mixed { for ($v = null; $n > 0; $n--) { $v = $cache->get($key); } return $v; },
    'SimpleCache::set' => function (int $n) use ($key, $cache): mixed { for ($v = null; $n > 0; $n--) { $v = $cache->set($key, 42); } return $v; },
    'getItem without tags' => function (int $n) use ($pool): mixed { for ($v = null; $n > 0; $n--) { $v = $pool->getItem('plain')->get(); } return $v; },
    'getItem with two tags' => function (int $n) use ($pool): mixed { for ($v = null; $n > 0; $n--) { $v = $pool->getItem('tagged')->get(); } return $v; },
    'Symfony get without tags' => function (int $n) use ($symfony): mixed { for ($v = null; $n > 0; $n--) { $v = $symfony->get('plain', fn(): int => 1); } return $v; },
    'Symfony get with two tags' => function (int $n) use ($symfony): mixed { for ($v = null; $n > 0; $n--) { $v = $symfony->get('tagged', fn(): int => 1); } return $v; },
    'Symfony getItem without tags' => function (int $n) use ($symfony): mixed { for ($v = null; $n > 0; $n--) { $v = $symfony->getItem('plain')->get(); } return $v; },
    'Symfony getItem with two tags' => function (int $n) use ($symfony): mixed { for ($v = null; $n > 0; $n--) { $v = $symfony->getItem('tagged')->get(); } return $v; },
];
$figures += measure($cases, array_fill_keys(array_keys($cases), 42) + [] , $rounds);
show($figures, [
    ['PSR-16 get', 'SimpleCache::get', 'VolatileCache::get', 3],
    ['PSR-6 get with two tags', 'getItem with two tags', 'getItem without tags', 2],
    ['Symfony get with two tags', 'Symfony get with two tags', 'Symfony get without tags', 2],
    ['Symfony getItem with two tags', 'Symfony getItem with two tags', 'Symfony getItem without tags', 2],
]);

/* Symfony's adapters */
$adapters = ['larder' => new LarderAdapter('bench'), 'apcu' => new ApcuAdapter('bench')];
$cases = $expected = [];
foreach ($adapters as $system => $adapter) {
    foreach ($values as $kind => $value) {
        $adapter->save($adapter->getItem($kind)->set($value));
        $cases["$system get $kind"] = function (int $n) use ($adapter, $kind): mixed { for ($v = null; $n > 0; $n--) { $v = $adapter->get($kind, fn(): int => 1); } return $v; };
        $cases["$system getItem $kind"] = function (int $n) use ($adapter, $kind): mixed { for ($v = null; $n > 0; $n--) { $v = $adapter->getItem($kind)->get(); } return $v; };
        $cases["$system save $kind"] = function (int $n) use ($adapter, $kind, $value): mixed { $item = $adapter->getItem($kind); for ($v = null; $n > 0; $n--) { $v = $adapter->save($item->set($value)); } return $v; };
        $cases["$system get+save $kind"] = function (int $n) use ($adapter, $kind, $value): mixed { for ($v = null; $n > 0; $n--) { $item = $adapter->getItem($kind); $v = $adapter->save($item->set($item->get())); } return $v; };
        $expected += ["$system get $kind" => $value, "$system getItem $kind" => $value, "$system save $kind" => true, "$system get+save $kind" => true];
    }
}
$figures = measure($cases, $expected, $rounds) + $figures;
$rows = [];
foreach (['int' => 0.6, 'array' => 0.05] as $kind => $limit) {
    foreach (['get', 'getItem', 'save', 'get+save'] as $call) {
        $rows[] = ["Symfony $call, " . ($kind === 'int' ? 'an int' : 'an array of 1,000'), "larder $call $kind", "apcu $call $kind", $limit];
    }
}
show($figures, $rows);

/* Measures the invalidation of a tag of many entries. An invalidation removes the tag's number, so each round first makes the number again,
 * unmeasured. */
$tagged = new ItemPool('bench many');
for ($i = 0; $i < $entries; $i++) {
    $tagged->save($tagged->getItem("entry$i")->set($i)->setTags(['all']));
}
$there = 0;
for ($i = 0; $i < $entries; $i++) {
    $there += (int) $tagged->hasItem("entry$i");
}
$tags = new Tags((new VolatileStore('bench many'))->pool());
$counter = VolatileCache::pool('bench many');
$spent = ['invalidate' => [], 'increment' => []];
for ($round = 0; $round < 2000; $round++) {
    $tags->numbers(['@all']);
    $start = hrtime(true);
    $tagged->invalidateTags(['all']);
    $spent['invalidate'][] = hrtime(true) - $start;
    $start = hrtime(true);
    $counter->increment('count');
    $spent['increment'][] = hrtime(true) - $start;
}
$left = 0;
for ($i = 0; $i < $entries; $i += 100) {
    $left += (int) $tagged->hasItem("entry$i");
}
$start = hrtime(true);
$clock = [];
for ($round = 0; $round < 2000; $round++) {
    $start = hrtime(true);
    $clock[] = hrtime(true) - $start;
}
sort($clock);
foreach ($spent as &$times) {
    sort($times);
    $times = $times[1000] - $clock[1000];
}
unset($times);
printf("%d entries with one tag, %d of them valid after it was invalidated\n", $there, $left);
if ($there !== $entries || $left !== 0) {
    throw new RuntimeException('entries are not as they should be');
}
show($spent, [['invalidating the tag', 'invalidate', 'increment', 3]]);
$figures += $spent;
if (isset($options['json'])) {
    @mkdir(dirname($options['json']), 0777, true);
    file_put_contents($options['json'], json_encode($figures, JSON_PRETTY_PRINT) . "\n");
}
