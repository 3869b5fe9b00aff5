<?php

/* test.php - tests of the benchmark application and of the report, without servers: `make test-bench`.
 *
 *   php -n -d extension=.../larder.so bench/app/test.php
 *
 * Drivers without requirements are tested. Each other driver must name its missing requirement. */

declare(strict_types=1);

use Bench\App;
use Bench\Digest;
use Bench\Driver;
use Bench\Drivers;
use Bench\Payloads;
use Bench\Place;

require __DIR__ . '/lib/autoload.php';

/** The digests of each payload: of all elements, and of a few. Update them when you change a payload. */
const DIGESTS = [
    'int' => ['e090fc422d1ea2935e98930aeed9adc4', 'e090fc422d1ea2935e98930aeed9adc4'],
    'string-1k' => ['52922bb155b2e21191124c822e7bc977', 'd078fd6837bb8d5fca5549a3854c1a5a'],
    'string-100k' => ['abb22285bd79abf4eea448659b9a2786', '915b725a25fb369e8067b3f1d81c42f2'],
    'array-8' => ['9a5d33116cbf45cffc0b104994a3e1d1', '47f825b9ed823cf5144cf9dc4be060c4'],
    'array-1000' => ['5edc29dd7bc97cf1d6f65198bc50d2e6', '89d5428212f397f563520812e0e51ef3'],
    'nested' => ['515dfc2e0c5e38d8ad90f364ac442615', '7a22f50a1f788855c080129d2edced62'],
    'entities' => ['78d10fdd83715c37fac406430560c5b9', '60c081575414d386fc32bd5e7bdc9682'],
    'config' => ['b6f13ecfc9d6f4446d7927b398bcea59', 'c5bf76698c8c860ada26925dacf27db6'],
];
const HERE = ['larder', 'larder-pinned', 'file'];

$folder = sys_get_temp_dir() . '/larder-bench-test-' . getmypid();
$_SERVER[Place::FILES] = "$folder/files";
$_SERVER[Place::SOCKETS] = $_SERVER[Place::VENDOR] = "$folder/nothing";
mkdir($folder, 0700);
register_shutdown_function(fn() => exec('rm -rf ' . escapeshellarg($folder)));
$passed = $failed = 0;

function expect(string $what, bool $is): void
{
    $is ? $GLOBALS['passed']++ : $GLOBALS['failed']++;
    $is || print("FAIL  $what\n");
}

/** @param list<string> $contains */
function expect_answer(string $path, int $status, array $contains, string $query = ''): void
{
    [$is, $text] = App::answer($path, $query);
    expect("$path gives $status, not $is: $text", $is === $status);
    foreach ($contains as $part) {
        expect("$path mentions $part: $text", str_contains($text, $part));
    }
}

// ---- drivers

$names = Drivers::names();
expect('the reference comes first', $names[0] === 'fake');
foreach ($names as $name) {
    expect("$name is a driver", is_subclass_of(Drivers::class($name), Driver::class));
}
expect('there are as many drivers as files', count($names) === count(glob(__DIR__ . '/drivers/*.php')));

foreach (['/cache/nothing', '/cache/Fake', '/cache/', '/cache/../lib', '/cache/larder-', '/fetch/nothing/int'] as $path) {
    expect_answer($path, 404, $names);
}
foreach (['/fetch/fake/nothing', '/fetch/larder/', '/store/larder/Int'] as $path) {
    expect_answer($path, 404, Payloads::NAMES);
}
foreach (['/', '/queue', '/cache', '/cache/fake/int', '/fetch/fake', '/status/x', ''] as $path) {
    expect_answer($path, 404, [...$names, ...Payloads::NAMES, '/cache/DRIVER']);
}

expect('a message is pushed', App::answer('/queue/larder') === [200, 'pushed'] && App::answer('/queue/fake') === [200, 'pushed']);
expect('it waits', App::answer('/queue/larder', 'waiting') === [200, '1']);
expect('it is a short text', preg_match('/^\d+-\d+$/', Larder\Queue::open('bench')->pop()->body) === 1);
foreach (Bench\Pushers::NAMES as $name) {
    $class = Bench\Pushers::class($name);
    class_exists($class::NEEDS) || expect_answer("/queue/$name", 503, [$class::MISSING]);
}
foreach (['/queue/nothing', '/queue/Fake', '/queue/'] as $path) {
    expect_answer($path, 404, Bench\Pushers::NAMES);
}

const INSTALL = ['apcu' => 'php-apcu', 'memcached' => 'php-memcached', 'redis' => 'php-redis', 'predis' => 'composer install'];
foreach (INSTALL as $name => $install) {
    expect_answer("/cache/$name", 503, [$install]);
    expect_answer("/fetch/$name/int", 503, [$install]);
}

// ---- counters

expect_answer('/cache/fake', 200, ['0']);
foreach (HERE as $name) {
    foreach ([1, 2, 3] as $sum) {
        expect("$name counts to $sum", App::answer("/cache/$name") === [200, (string) $sum]);
    }
    foreach ([1, 2] as $child) {
        if (pcntl_fork() === 0) {
            for ($i = 0; $i < 3000; $i++) {
                App::answer("/cache/$name");
            }
            leave();
        }
    }
    for ($child = 0; $child < 2; $child++) {
        pcntl_wait($status);
    }
    expect("$name loses no increment of two processes", App::answer("/cache/$name")[1] === '6004');
}

/** Ends a child without running the parent's shutdown functions. */
function leave(): never
{
    pcntl_exec('/bin/true');
    exit(1);
}

// ---- payloads

expect('the titles are of the payloads', array_keys(Payloads::TITLES) === Payloads::NAMES);
foreach (Payloads::NAMES as $payload) {
    $digests = [Digest::whole(Payloads::make($payload)), Digest::sample(Payloads::make($payload))];
    expect("$payload has the digests " . json_encode($digests), $digests === (DIGESTS[$payload] ?? null));
    foreach (HERE as $name) {
        expect_answer("/fetch/$name/$payload", 409, ["/store/$name/$payload"]);
        expect("$name stores $payload", App::answer("/store/$name/$payload") === [200, 'stored']);
        expect("$name fetches $payload", App::answer("/fetch/$name/$payload", 'whole') === [200, $digests[0]]);
        expect("$name fetches a part of $payload", App::answer("/fetch/$name/$payload") === [200, $digests[1]]);
    }
}
expect('the digests differ', count(array_unique(array_merge(...array_values(DIGESTS)))) >= 2 * count(DIGESTS) - 2);
foreach (['array-1000', 'nested', 'string-100k'] as $payload) {
    $value = Payloads::make($payload);
    $last = is_string($value) ? strlen($value) - 1 : array_key_last($value);
    $value[$last] = is_array($value[$last]) ? [...$value[$last], 'public' => 1] : 'x';
    expect("the whole digest sees a change at the end of $payload", Digest::whole($value) !== DIGESTS[$payload][0]);
}
$value = Payloads::make('entities');
$value[500]->active = 'changed' === $value[500]->name;
$value[500]->price += 1;
expect('the whole digest sees a change in an object', Digest::whole($value) !== DIGESTS['entities'][0]);
expect('types matter', count(array_unique(array_map(Digest::whole(...), [1, 1.0, '1', true, null, [1]]))) === 6);

[$status, $text] = App::answer('/status');
$state = json_decode($text, true);
expect('/status says which drivers work', $status === 200 && array_keys($state['drivers']) === $names
    && $state['drivers']['larder'] === null && str_contains($state['drivers']['redis'], 'php-redis'));
expect('/status has the settings', $state['settings']['precision'] === ini_get('precision'));

// ---- the report

$driver = fn(float $workers, float $rate): array => [
    'perSecond' => $rate, 'p50' => 500.5, 'p99' => 900.0, 'workers' => $workers, 'servers' => 0.0, 'ratio' => $rate / 10000,
    'overFake' => $workers - 40,
];
$cache = ['fake' => $driver(40, 10000), 'apcu' => $driver(41.5, 9800), 'larder' => $driver(40.5, 9950)];
$http = [
    'machine' => ['processor' => '<b>fast</b>'], 'rounds' => 5, 'seconds' => 2, 'workers' => 4, 'connections' => 8,
    'pinned' => true, 'cache' => $cache, 'fetch' => ['entities' => $cache],
    'titles' => ['entities' => '1,000 <!-- <script> entities'], 'absent' => ['redis' => 'Install it </script>'],
    'kills' => ['kills' => 7, 'seconds' => 4, 'right' => 1234, 'lost_answers' => 2, 'twice' => 0],
    'checked' => 98765, 'faults' => [],
];
file_put_contents("$folder/http.json", json_encode($http));
file_put_contents("$folder/library.js", "/* library */\n//# sourceMappingURL=library.js.map");
$build = escapeshellarg(PHP_BINARY) . ' -n ' . escapeshellarg(dirname(__DIR__) . '/report/build.php');
$run = function (string $library) use ($build, $folder): int {
    exec("$build --from=$folder --to=$folder/report.html --library=$library 2>&1", $output, $code);
    return $code;
};
expect('a report without its library fails', $run("$folder/missing.js") === 1);
expect('the report is made', $run("$folder/library.js") === 0);
$html = (string) @file_get_contents("$folder/report.html");
$parts = [
    '/* library */', '&lt;b&gt;fast', '98,765 answers checked: all right', '7 workers killed', 'Install it &lt;/script&gt;',
    '99.5 %', '41.5', 'cli.json is missing', 'the core', '"labels":["fake","larder","apcu"]',
];
foreach ($parts as $part) {
    expect("the report has $part", str_contains($html, $part));
}
expect('the report needs no other file', preg_match('~(src|href)=|https?://|@import|sourceMappingURL|url\(~', $html) === 0);
expect('nothing is left to fill in', preg_match('~\{(body|library|charts|script)\}~', $html) === 0);
expect('figures end no script', substr_count($html, '</script>') === 2 && !str_contains($html, '<!-- <script>'));
file_put_contents("$folder/http.json", json_encode(['faults' => ['redis: increments were lost']] + $http));
expect('a report of faults is made', $run("$folder/library.js") === 0);
expect('and shows them', str_contains((string) file_get_contents("$folder/report.html"), 'WRONG: redis: increments were lost'));
file_put_contents("$folder/library.js", 'x = "</script>"');
expect('a library that ends its element is refused', $run("$folder/library.js") !== 0);

exec(escapeshellarg(PHP_BINARY) . ' ' . escapeshellarg(dirname(__DIR__) . '/php/statics.php') . " --requests=1 --module=$folder/missing.so 2>&1", $output, $code);
expect('a benchmark without its module fails', $code === 1);
require dirname(__DIR__) . '/hits/Traces.php';
require dirname(__DIR__) . '/hits/Values.php';
foreach (Bench\Hits\Traces::NAMES as $name) {
    $keys = Bench\Hits\Traces::make($name, 2000);
    expect("the trace $name is the same each time, and asks again for some keys", $keys === Bench\Hits\Traces::make($name, 2000) && count($keys) === 2000 && count(array_unique($keys)) < 1800);
}
foreach (['site', 'rows'] as $mix) {
    $values = fn(): array => array_map(fn(int $id): mixed => Bench\Hits\Values::make($mix, $id), range(0, 300));
    $first = array_map(serialize(...), $values());
    expect("values of $mix are the same each time, and differ from each other", $first === array_map(serialize(...), $values()) && count(array_unique($first)) === 301);
}
$replay = function (string $options): array {
    exec(escapeshellarg(PHP_BINARY) . ' ' . escapeshellarg(dirname(__DIR__) . '/hits/run.php') . " $options 2>&1", $output, $code);
    return [$code, implode("\n", $output)];
};
[$code, $text] = $replay('--requests=2000 --only=larder,packed');
expect("a replay of 2,000 requests has hits: $text", $code === 0 && preg_match('/^news, site, 64 MB +5\d\.\d +5\d\.\d$/m', $text) === 1);
expect("a replay compares values: $text", preg_match('/^\d{3} hits were compared with a new value, 0 were wrong$/m', $text) === 1);
expect('a replay of an unknown cache fails', $replay('--only=nobody')[0] === 1);
expect('a replay of too few requests fails', $replay('--requests=10')[0] === 1);

$ends = [];
foreach ([...glob(dirname(__DIR__) . '/*/*.php'), ...glob(dirname(__DIR__) . '/*.php')] as $file) {
    $ends = [...$ends, ...preg_grep('/\bexit\("(?!.*(?:skipped:|is not installed|needs ext-))/', file($file))];
}
expect('no benchmark ends by exit with a text, which is no failure: ' . implode($ends), $ends === []);

echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
