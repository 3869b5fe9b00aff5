<?php

/* run.php - file_get_contents() of files of several sizes: without the file cache, with one that checks the file at each call, with one
 * that does not, and with the content in APCu. The rounds are interleaved.
 *   php bench/files/run.php [--rounds=N] [--json=FILE] */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

const SIZES = [1000 => 60000, 10000 => 40000, 100000 => 15000, 1000000 => 3000]; // bytes; calls

$options = getopt('', ['rounds:', 'json:']);
$rounds = (int) ($options['rounds'] ?? 9);
$module = dirname(__DIR__, 2) . '/php/modules/larder.so';
$larder = ['-d', "extension=$module", '-d', 'larder.file_cache_max_size=8M'];
$ways = [
    'plain' => ['file', []],
    'looks at the file at each call' => ['larder', [...$larder, '-d', 'larder.file_cache=1']],
    'looks every second' => ['larder', [...$larder, '-d', 'larder.file_cache=1', '-d', 'larder.file_cache_revalidate=1000']],
    'never looks again' => ['larder', [...$larder, '-d', 'larder.file_cache=1', '-d', 'larder.file_cache_revalidate=-1']],
    'the extension, switched off' => ['file', $larder],
];
if (is_file(ini_get('extension_dir') . '/apcu.so')) {
    $ways['apcu_fetch() of the content'] = ['apcu', ['-d', 'extension=apcu', '-d', 'apc.enable_cli=1']];
}
$median = function (array $values): float {
    sort($values);
    return $values[intdiv(count($values), 2)];
};
$file = tempnam(sys_get_temp_dir(), 'larder-bench-files');
register_shutdown_function(fn() => unlink($file));
printf("CPU ns a call, medians of %d interleaved rounds; in brackets plain divided by it, the median of the rounds' ratios\n%-34s", $rounds, '');
$table = [];
foreach (SIZES as $size => $calls) {
    printf('%22s', number_format($size) . ' bytes');
    file_put_contents($file, substr(str_repeat(md5("$size"), intdiv($size, 32) + 1), 0, $size));
    usleep(1100000);
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($round % 2 ? array_reverse($ways) : $ways as $name => [$how, $settings]) {
            $command = [PHP_BINARY, '-n', ...$settings, __DIR__ . '/calls.php', $file, (string) $calls, $how];
            exec(implode(' ', array_map(escapeshellarg(...), $command)), $lines, $status);
            $status === 0 || fail("$name: wrong content, or no hits\n" . implode("\n", $lines) . "\n");
            $table[$name][$size][] = (float) array_pop($lines);
        }
    }
}
echo "\n";
foreach (array_keys($ways) as $name) {
    printf('%-34s', $name);
    foreach (array_keys(SIZES) as $size) {
        $ratios = array_map(fn(float $plain, float $is): float => $plain / $is, $table['plain'][$size], $table[$name][$size]);
        printf('%12.0f (%6.2fx)', $median($table[$name][$size]), $median($ratios));
    }
    echo "\n";
}
$json = $options['json'] ?? dirname(__DIR__, 2) . '/build/bench/files.json';
is_dir(dirname($json)) || mkdir(dirname($json), 0777, true);
file_put_contents($json, json_encode(['bench' => 'files', 'rounds' => $rounds, 'samples' => $table], JSON_PRETTY_PRINT) . "\n");
