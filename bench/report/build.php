<?php

/* build.php - makes one page from the results of the benchmarks.
 *
 *   php bench/report/build.php [--from=build/bench] [--to=FILE] [--library=FILE]
 *
 * A benchmark whose file is missing is left out, and the page says so. */

declare(strict_types=1);

namespace Bench\Report;

use Bench\Machine;

require dirname(__DIR__) . '/app/lib/autoload.php';
require __DIR__ . '/Report.php';
require __DIR__ . '/Colors.php';
require __DIR__ . '/Sections.php';

/** @return ?array<string, mixed> */
function figures(string $file): ?array
{
    return is_file($file) ? json_decode((string) file_get_contents($file), true, 512, JSON_THROW_ON_ERROR) : null;
}

/** Returns the most important ratios of processor time. */
function summary(array $http): array
{
    $cache = $http['cache'];
    $cost = fn(array $of): float => $of['workers'] + $of['servers'];
    if (!isset($cache['larder'])) {
        return [];
    }
    $tiles = ["of “fake”'s requests/s with Larder" => sprintf('%.1f %%', 100 * $cache['larder']['ratio'])];
    foreach (['apcu' => 'APCu', 'memcached' => 'memcached', 'redis' => 'Redis'] as $driver => $name) {
        if (isset($cache[$driver])) {
            $tiles["Larder's requests/s to $name's, a counter"] = sprintf('%.2fx', $cache['larder']['ratio'] / $cache[$driver]['ratio']);
            $fetch = $http['fetch']['entities'] ?? null;
            if ($fetch !== null) {
                $tiles["less processor time than $name, 1,000 entities"] = sprintf('%.2fx', $cost($fetch[$driver]) / $cost($fetch['larder']));
            }
        }
    }
    return $tiles;
}

function build(string $from): Report
{
    $report = new Report();
    $report->text('What a cache costs, measured on this machine. Every value was checked while it was measured. '
        . 'Compare the bars of one chart; figures of other machines, or of another day, do not compare.');
    $http = figures("$from/http.json");
    $http === null || $report->tiles(summary($http));
    $report->facts('Machine and versions', $http['machine'] ?? Machine::facts());
    $sections = [
        'http' => Sections::http(...), 'cli' => Sections::cli(...), 'php-micro' => Sections::micro(...),
        'php-objects' => Sections::objects(...),
        'php-resident' => Sections::resident(...), 'php-compat' => Sections::compat(...),
    ];
    foreach ($sections as $name => $add) {
        $data = figures("$from/$name.json");
        $data !== null ? $add($report, $data) : $report->text("Not measured: $name.json is missing.");
    }
    $core = [];
    foreach (['get', 'set', 'evict', 'memory', 'recovery'] as $name) {
        $core[$name] = figures("$from/$name.json");
    }
    $core = array_filter($core, is_array(...));
    $core === [] ? $report->text('Not measured: the core.') : Sections::core($report, $core);
    return $report;
}

$options = getopt('', ['from:', 'to:', 'library:']) ?: [];
$folder = dirname(__DIR__, 2) . '/build/bench';
$library = $options['library'] ?? "$folder/npm/node_modules/chart.js/dist/chart.umd.min.js";
if (!is_file($library)) {
    fwrite(STDERR, "report: $library is missing; \"make bench\" installs it\n");
    exit(1);
}
$file = $options['to'] ?? "$folder/report.html";
file_put_contents($file, build($options['from'] ?? $folder)->page((string) file_get_contents($library)));
echo "$file\n";
