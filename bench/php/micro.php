<?php
/* micro.php - CPU time per call of each operation, for Larder and for the other caches that are installed.
 *
 *   php bench/php/micro.php [--module=FILE] [--noop=FILE] [--rounds=N] [--only=SYSTEM,...] [--compat] [--json=FILE]
 *
 * - --compat measures only Larder, its layers for other caches' APIs, and the installed originals. It compares the layers with Larder's own
 *   classes and with the originals.
 * - Each system runs in a process of its own, with its extension and settings. The systems take turns at each case; figures are medians.
 * - "2x" runs the case in two processes at once, on two cores.
 * - There are two baselines: an empty loop, which is subtracted for the figures "net", and an internal static method with one string
 *   argument that does nothing. */

declare(strict_types=1);

require __DIR__ . '/conductor.php';

const KEY = 'configuration.database.';  // a case appends at most five bytes
const RUN_NS = 10e6;

/* ---- the measured code, which runs $n times; $v is the last result ----------------------------- */

/** Return the values. The array key of a value is the end of its key in the cache. */
function values(): array
{
    $record = fn(int $i) => ['id' => $i, 'name' => "name of $i", 'price' => $i / 4, 'active' => $i % 2 === 0];
    return [
        'int' => 42,
        's100' => str_repeat('s', 100),
        's100k' => str_repeat('s', 100000),
        'a8' => ['id' => 8, 'name' => 'eight', 'tags' => 'a,b', 'price' => 1.5, 'on' => true, 'off' => false, 'none' => null, 'note' => 'text'],
        'l1000' => range(1, 1000),
        'a1000' => array_combine(array_map(fn(int $i) => "key $i", range(1, 1000)), array_map(fn(int $i) => "value $i", range(1, 1000))),
        'n5000' => array_map($record, range(1, 5000)),
    ];
}

/** Return the cases of a system as PHP expressions. */
function cases(string $system): array
{
    [$get, $set, $many] = match (true) {
        $system === 'larder pool' => ['$cache->get(%s)', '$cache->set(%s, %s)', '$cache->getMultiple(%s)'],
        $system === 'compat user_cache' => ['$cache->fetch(%s)', '$cache->store(%s, %s)', '$cache->fetchMultiple(%s)'],
        $system === 'compat opcache' => ['\OPcache\VolatileCache::get(%s)', '\OPcache\VolatileCache::set(%s, %s)', '\OPcache\VolatileCache::getMultiple(%s)'],
        $system === 'larder' => ['\Larder\VolatileCache::get(%s)', '\Larder\VolatileCache::set(%s, %s)', '\Larder\VolatileCache::getMultiple(%s)'],
        str_contains($system, 'apcu') => ['apcu_fetch(%s)', 'apcu_store(%s, %s)', 'apcu_fetch(%s)'],
        $system === 'yac' => ['$cache->get(%s)', '$cache->set(%s, %s)', '$cache->get(%s)'],
        str_ends_with($system, 'immutable_cache') => ['immutable_cache_fetch(%s)', null, 'immutable_cache_fetch(%s)'],
        default => [null, null, null],
    };
    if ($get === null) {
        return ['loop' => '1', 'noop' => '\LarderBench\Noop::call($key)'];
    }
    $cases = [];
    foreach (array_keys(values()) as $name) {
        $cases["get $name"] = sprintf($get, '$key');
    }
    $cases['get miss'] = sprintf($get, '$key');
    $has = match (true) {
        $system === 'larder' => '\Larder\VolatileCache::has($key)',
        str_contains($system, 'apcu') => 'apcu_exists($key)',
        default => null,
    };
    foreach ($has === null ? [] : ['int', 'miss'] as $name) {
        $cases["has $name"] = $has;
    }
    foreach ($set === null ? [] : array_keys(values()) as $name) {
        $cases["set $name"] = sprintf($set, '$key', '$value');
    }
    $cases['get 32'] = sprintf($many, '$keys');
    return $cases;
}

/* ---- one system's process --------------------------------------------------------------------- */

/** Return the nanoseconds per call of $n calls. Checks the last value. */
function measure(string $name, callable $run, int $n): float
{
    [$kind, $what] = explode(' ', "$name ");
    $values = values();
    $value = $values[$what] ?? null;
    $keys = array_map(fn(int $i) => KEY . "m$i", range(1, 32));
    $start = cpu();
    $v = $run($n, KEY . $what, $value, $keys);
    $spent = cpu() - $start;
    $expected = match (true) {
        $name === 'loop' => 1,
        $name === 'noop' => null,
        $what === 'miss' => null,
        $what === '32' => array_combine($keys, range(1, 32)),
        $kind === 'set' || $kind === 'has' => true,
        default => $value,
    };
    if ($v !== $expected && !($what === 'miss' && $v === false)) {
        throw new RuntimeException("$name gave a wrong value");
    }
    return $spent / $n;
}

/** Run the case in two processes at the same time. Returns the mean of their times. */
function measure_two(string $name, callable $run, int $n): float
{
    [$mine, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid === 0) {
        pin(1);
        fwrite($other, "r");
        fread($other, 1);
        fwrite($other, (string) measure($name, $run, $n));
        posix_kill(getmypid(), SIGKILL);
    }
    fread($mine, 1);
    fwrite($mine, 'g');
    $a = measure($name, $run, $n);
    $b = (float) fread($mine, 100);
    pcntl_waitpid($pid, $status);
    return ($a + $b) / 2;
}

/** Read lines "1 CASE" or "2 CASE" (the number of processes), and answer each with nanoseconds. */
function serve(string $system): void
{
    pin(0);
    $cache = match ($system) {
        'yac' => new Yac(),
        'larder pool' => \Larder\VolatileCache::pool('bench'),
        'compat user_cache' => \UserCache\Cache::getPool('bench'),
        default => null,
    };
    $runs = [];
    foreach (cases($system) as $name => $code) {
        $runs[$name] = eval("return function (\$n, \$key, \$value, \$keys) use (\$cache) {
            for (\$i = 0; \$i < \$n; \$i++) { \$v = $code; } return \$v; };");
    }
    $store = match (true) {
        $system === 'larder' => [\Larder\VolatileCache::class, 'set'],
        str_contains($system, 'apcu') => 'apcu_store',
        $system === 'compat user_cache' => [$cache, 'store'],
        $system === 'compat opcache' => [\OPcache\VolatileCache::class, 'set'],
        $cache !== null => [$cache, 'set'],
        str_ends_with($system, 'immutable_cache') => 'immutable_cache_add',
        default => null,
    };
    if ($store !== null) {
        foreach (values() as $name => $value) {
            $store(KEY . $name, $value);
        }
        for ($i = 1; $i <= 32; $i++) {
            $store(KEY . "m$i", $i);
        }
    }
    $counts = [];
    echo json_encode(array_keys($runs)), "\n";
    while (($line = fgets(STDIN)) !== false) {
        [$processes, $name] = explode(' ', trim($line), 2);
        $run = $runs[$name];
        if (!isset($counts[$name])) {
            $each = max(1.0, measure($name, $run, 20));
            $each = max(1.0, measure($name, $run, (int) max(20, min(2000, 1e6 / $each))));
            $counts[$name] = (int) max(10, RUN_NS / $each);
        }
        echo $processes === '2' ? measure_two($name, $run, $counts[$name]) : measure($name, $run, $counts[$name]), "\n";
    }
}

/* ---- the conductor ------------------------------------------------------------------------------ */

function systems(array $options): array
{
    $folder = dirname(__DIR__, 2);
    $extensions = extension_dir();
    $systems = there([
        'baseline' => ['extension=' . ($options['noop'] ?? "$folder/build/php/noop/modules/larder_noop.so")],
        'larder' => ['extension=' . ($options['module'] ?? "$folder/php/modules/larder.so")],
        ...apcu_systems('64M'),
        'yac' => ["extension=$extensions/yac.so", 'yac.enable_cli=1'],
        'immutable_cache' => ["extension=$extensions/immutable_cache.so", 'immutable_cache.enable_cli=1'],
    ]);
    $posix = is_file("$extensions/posix.so") ? ["extension=$extensions/posix.so"] : [];
    if (isset($options['compat'])) {
        $layers = ['apcu', 'immutable_cache', 'opcache', 'user_cache'];
        $larder = $systems['larder'];
        $systems = ['baseline' => $systems['baseline'], 'larder' => $larder, 'larder pool' => $larder]
            + array_combine(array_map(fn($layer) => "compat $layer", $layers), array_map(fn($layer) => [...$larder, "larder.compat=$layer"], $layers))
            + array_intersect_key($systems, ['apcu php' => 1, 'immutable_cache' => 1]);
    }
    if (isset($options['only'])) {
        $systems = array_intersect_key($systems, array_flip([...explode(',', $options['only']), 'baseline']));
    }
    return array_map(fn($settings) => [...$posix, ...$settings], $systems);
}

function table(array $figures): void
{
    $systems = array_keys($figures);
    $loop = $figures['baseline']['loop'][1];
    $noop = $figures['baseline']['noop'][1] - $loop;
    printf("CPU ns per call, net of the loop (%.1f ns); the method that does nothing: %.1f ns\n\n%-10s", $loop, $noop, '');
    foreach ($systems as $system) {
        if ($system !== 'baseline') {
            printf(' %16s', $system);
        }
    }
    echo "   larder / noop   2 processes / 1\n";
    foreach ($figures['larder'] ?? [] as $case => $figure) {
        printf('%-10s', $case);
        foreach ($systems as $system) {
            if ($system !== 'baseline') {
                printf(' %16s', isset($figures[$system][$case]) ? number_format($figures[$system][$case][1] - $loop, 1) : '-');
            }
        }
        printf("   %13.2f   %15.2f\n", ($figure[1] - $loop) / $noop, ($figure[2] - $loop) / ($figure[1] - $loop));
    }
}

/** Print two ratios of times for each layer and case: layer / Larder's own class, and original / layer. The times include the loop. */
function compat_table(array $figures): void
{
    foreach (['apcu' => ['larder', 'apcu php'], 'immutable_cache' => ['larder', 'immutable_cache'], 'opcache' => ['larder', ''], 'user_cache' => ['larder pool', '']] as $layer => [$class, $original]) {
        if (!isset($figures["compat $layer"], $figures[$class])) {
            continue;
        }
        printf("\n%-16s  layer / class    original / layer\n", $layer);
        foreach ($figures["compat $layer"] as $case => $own) {
            printf('%-16s', $case);
            foreach ([1, 2] as $processes) {
                printf(' %7.2f', $own[$processes] / $figures[$class][$case][$processes]);
            }
            foreach (isset($figures[$original][$case]) ? [1, 2] : [] as $processes) {
                printf(' %9.2f', $figures[$original][$case][$processes] / $own[$processes]);
            }
            echo "\n";
        }
    }
}

function conduct(array $options): void
{
    $samples = [];
    $rounds = (int) ($options['rounds'] ?? 9);
    rounds($rounds, __FILE__, systems($options), function (array $workers) use (&$samples): void {
        foreach ([1, 2] as $processes) {
            foreach (array_unique(array_merge(...array_column($workers, 'hello'))) as $case) {
                foreach ($workers as $system => $worker) {
                    if (in_array($case, $worker['hello'], true)) {
                        $samples[$system][$case][$processes][] = ask($worker, "$processes $case");
                    }
                }
            }
        }
    });
    $figures = array_map(fn($cases) => array_map(fn($by) => array_map('median', $by), $cases), $samples);
    table($figures);
    if (isset($options['compat'])) {
        compat_table($figures);
    }
    write_json($options['json'] ?? dirname(__DIR__, 2) . '/build/php/micro.json', [
        'bench' => isset($options['compat']) ? 'php-compat' : 'php-micro', 'php' => PHP_VERSION, 'rounds' => $rounds,
        'unit' => 'CPU ns per call, loop included, median; by number of processes',
        'figures' => $figures, 'samples' => $samples,
    ]);
}

$options = getopt('', ['serve:', 'module:', 'noop:', 'rounds:', 'only:', 'compat', 'json:']);
isset($options['serve']) ? serve($options['serve']) : conduct($options);
