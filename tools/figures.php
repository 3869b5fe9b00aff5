<?php

/*
 * Writes figures of the last runs, from bench/results.json, into documents: tables between "<!-- figures: PART -->" and "<!-- /figures
 * -->", lines about fetches and hits, and README's picture.
 *   php tools/figures.php             fails when a figure of a document differs from bench/results.json, or when text has a measured
 *                                     number that is not in that file
 *   php tools/figures.php --write     writes the figures
 *   php tools/figures.php --control   plants faults, each of which must be found
 */

declare(strict_types=1);

chdir(dirname(__DIR__));
require 'bench/Results.php';
require 'bench/Picture.php';

const TABLE = '/^(<!-- figures: (\w+) -->\n)((?:(?!<!-- figures).)*?)^(<!-- \/figures -->)$/ms';
const DOCUMENTS = ['README.md', 'docs/benchmarks.md', 'docs/sizing.md', Bench\Picture::FILE];

/** In the text of these documents, each measured number must come from bench/results.json. */
const STRICT = ['README.md', 'docs/benchmarks.md'];

/** For each table, the part of bench/results.json that it shows. */
const PARTS = [
    'applications' => 'applications', 'memory_of_workers' => 'memory_of_workers', 'kills_of_a_writer' => 'kills_of_a_writer', 'stores' => 'stores',
    'hits_at_equal_memory' => 'hits_at_equal_memory', 'hits_of_each_cell' => 'hits_at_equal_memory',
    'counters_over_http' => 'drivers_over_http', 'fetches_over_http' => 'drivers_over_http', 'drivers' => 'drivers',
];

/**
 * A number in text counts as measured if its unit is a ratio, a rate, or a time other than seconds. So give the durations of the benchmarks
 * themselves in words or in s.
 */
const MEASURED = '/(?<![\w.,])(\d[\d,]*(?:\.\d+)?)(?: |-)?(?:ns|µs|us|ms|x|%|times|instructions|million|requests\/s)(?![\w])/u';

/** @param list<list<string|int|float>> $rows the first row is the head of the table */
function table(array $rows): string
{
    $lines = array_map(fn(array $row): string => '| ' . implode(' | ', $row) . ' |', $rows);
    array_splice($lines, 1, 0, '|---|' . str_repeat('---:|', count($rows[0]) - 1));
    return implode("\n", $lines) . "\n";
}

function number(float|int $figure): string
{
    $text = (string) $figure;
    return number_format((float) $figure, strlen(strrchr($text, '.') ?: '.') - 1);
}

const CACHES = ['none' => 'no cache', 'nothing' => 'none of it', 'apcu' => 'APCu', 'memory' => 'in each worker', 'redis' => 'Redis', 'file' => 'a file', 'larder' => 'Larder'];

const APPLICATIONS = ['symfony' => 'Symfony', 'laravel' => 'Laravel', 'mediawiki' => 'MediaWiki', 'wordpress' => 'WordPress', 'drupal' => 'Drupal', 'rails' => 'Rails'];

function applications(array $part): string
{
    $rows = [['application, cache', 'requests/s', 'CPU µs a request', 'p99 ms', 'memory of all workers, MB', 'killed workers', 'right answers meanwhile', 'requests lost', 'wrong answers']];
    foreach ($part['figures'] as $application => $caches) {
        foreach ($caches as $cache => $f) {
            $rows[] = [APPLICATIONS[$application] . ', ' . CACHES[$cache], number($f['requests_per_second']), number($f['cpu_us']), number($f['p99_ms']), number($f['memory_mb']), $f['kills'], $f['right'], $f['lost'], $f['wrong']];
        }
    }
    return table($rows);
}

function memory_of_workers(array $part): string
{
    $rows = [['the configuration comes from', 'memory of all workers, MB', 'to APCu']];
    foreach ($part['pss_mb'] as $system => $mb) {
        $rows[] = [CACHES[$system], number($mb), sprintf('%.2fx', $mb / $part['pss_mb']['apcu'])];
    }
    return table($rows);
}

function kills_of_a_writer(array $part): string
{
    $rows = [['cache', 'kills', 'entries lost', 'wrong values', 'hangs', 'longest wait, ms']];
    foreach ($part['figures'] as $system => $f) {
        $rows[] = [CACHES[$system], number($f['kills']), number($f['lost']), $f['wrong'], $f['hangs'], ($f['hangs'] ? 'over ' : '') . number($f['longest_ms'])];
    }
    return table($rows);
}

function stores(array $part): string
{
    $rows = [['APCu to Larder', '200 stores', '1,000 stores', '200 fetches', '1,000 fetches']];
    foreach (array_keys($part['ratios']['stores']['1000']) as $kind) {
        $rows[] = [$kind, ...array_map(fn(array $at): string => number($part['ratios'][$at[0]][$at[1]][$kind]) . 'x', [['stores', '200'], ['stores', '1000'], ['fetches', '200'], ['fetches', '1000']])];
    }
    return table($rows);
}

const HITS = ['larder' => 'Larder', 'packed' => 'Larder, all values packed', 'apcu' => 'APCu', 'memcached' => 'memcached', 'redis' => 'Redis'];

function hits_at_equal_memory(array $part): string
{
    $rows = [['mean of all cells', 'hits, %', 'CPU µs a request', ...array_map(fn(string $ms): string => "a miss costs $ms ms", array_map(strval(...), array_keys($part['means']['larder']['us_at_miss_of'])))]];
    foreach ($part['means'] as $cache => $f) {
        $rows[] = [HITS[$cache], sprintf('%.1f', $f['hits']), number($f['cpu_us']), ...array_map(fn(float|int $us): string => number($us) . ' µs', array_values($f['us_at_miss_of']))];
    }
    return table($rows);
}

function hits_of_each_cell(array $part): string
{
    $rows = [['trace, values, memory', ...array_map(fn(string $cache): string => HITS[$cache], array_keys($part['means']))]];
    foreach ($part['cells'] as $cell => $caches) {
        $rows[] = [$cell, ...array_map(fn(array $f): string => sprintf('%.1f', $f['hits']), array_values($caches))];
    }
    return table($rows);
}

function counters_over_http(array $part): string
{
    $rows = [['driver', 'requests/s', 'to `fake`', 'PHP, µs', 'server, µs']];
    foreach ($part['counters'] as $driver => $f) {
        $rows[] = ["`$driver`", number($f['requests_per_second']), sprintf('%.2f', $f['to_fake']), number($f['php_us']), number($f['server_us'])];
    }
    return table($rows);
}

/** Returns a table with a row for each operation and a column for each driver. The last column compares Larder with APCu. */
function drivers_of(array $figures, bool $more): string
{
    $drivers = array_keys(reset($figures) ?: []);
    $rows = [['', ...array_map(fn(string $driver): string => "`$driver`", $drivers), 'Larder beside APCu']];
    foreach ($figures as $title => $by) {
        $ratio = $more ? $by['larder'] / $by['apcu'] : $by['apcu'] / $by['larder'];
        $rows[] = [$title, ...array_map(number(...), array_values($by)), number(Bench\Results::round($ratio, $ratio < 100 ? 2 : 3)) . 'x'];
    }
    return table($rows);
}

function fetches_over_http(array $part): string
{
    return drivers_of($part['fetches_us'], false);
}

function drivers(array $part): string
{
    return drivers_of($part['thousands_per_second'], true);
}

/** @return array<string, string> for each pattern that finds a line with figures in a document: this line with the new figures */
function lines(string $document, array $results): array
{
    $means = $results['hits_at_equal_memory']['means'] ?? [];
    $hits = fn(string $cache): string => number_format($means[$cache]['hits'] ?? 0.0);
    return match ($document) {
        'README.md' => Bench\Picture::lines($results['fetches']) + [
            '/^- At equal memory \d.*$/m' => "- At equal memory {$hits('larder')} % of requests were hits (APCu {$hits('apcu')}, memcached {$hits('memcached')}, Redis {$hits('redis')}; [benchmarks](docs/benchmarks.md#hits-at-equal-memory)).",
        ],
        'docs/sizing.md' => ['/^  At equal memory \d.*$/m' => "  At equal memory {$hits('larder')} % of requests were hits, {$hits('packed')} % with `larder.form = packed` (APCu {$hits('apcu')}, memcached {$hits('memcached')}, Redis {$hits('redis')})."],
        default => [],
    };
}

/** Returns the document with new figures. Adds unknown parts and missing lines of README to $problems. */
function renewed(string $name, string $text, array $results, array &$problems): string
{
    if ($name === Bench\Picture::FILE) {
        return Bench\Picture::svg($results);
    }
    foreach (lines($name, $results) as $pattern => $line) {
        $text = (string) preg_replace($pattern, $line, $text, 1, $count);
        $count === 1 || $problems[] = "there is no line like: $line";
    }
    return (string) preg_replace_callback(TABLE, function (array $match) use ($results, &$problems): string {
        if (!isset($results[PARTS[$match[2]] ?? ''])) {
            $problems[] = "$match[2] is no table of bench/results.json";
            return $match[0];
        }
        return $match[1] . "\n" . $match[2]($results[PARTS[$match[2]]]) . "\n" . $match[4];
    }, $text);
}

/** @return list<string> measured numbers in a text, outside of code and tables of figures, that bench/results.json does not have */
function strangers(string $name, string $text, array $results): array
{
    $known = [];
    array_walk_recursive($results, function (mixed $figure, string|int $name) use (&$known): void {
        $known[$name] = true;
        is_int($figure) || is_float($figure) ? $known[number($figure)] = true : null;
    });
    $text = (string) preg_replace(['/^```.*?^```/ms', '/`[^`\n]*`/', TABLE, ...array_keys(lines($name, $results))], '', $text);
    preg_match_all(MEASURED, $text, $found);
    return array_values(array_map(
        fn(int $i): string => 'bench/results.json does not have ' . $found[0][$i],
        array_keys(array_filter($found[1], fn(string $number): bool => !isset($known[$number]))),
    ));
}

/** @return list<string> the faults of a document */
function problems(string $name, string $text, array $results): array
{
    $problems = [];
    $renewed = renewed($name, $text, $results, $problems);
    if (preg_match_all(TABLE, $text) !== substr_count($text, '<!-- figures')) {
        $problems[] = 'a table has no end, or a part that is no word';
    }
    if (in_array($name, STRICT, true)) {
        array_push($problems, ...strangers($name, $text, $results));
    }
    $old = explode("\n", $text);
    foreach (explode("\n", $renewed) as $i => $line) {
        if ($line !== ($old[$i] ?? '')) {
            $problems[] = 'line ' . ($i + 1) . ' should be: ' . $line;
            break;
        }
    }
    return array_map(fn(string $problem): string => "$name: $problem (php tools/figures.php --write)", $problems);
}

$results = Bench\Results::all();
$options = getopt('', ['write', 'control']);
$problems = [];
$controlled = 0;
foreach (DOCUMENTS as $name) {
    $text = (string) file_get_contents($name);
    if (isset($options['write'])) {
        file_put_contents($name, renewed($name, $text, $results, $problems));
    } elseif (!isset($options['control'])) {
        array_push($problems, ...problems($name, $text, $results));
    } else {
        problems($name, $text, $results) === [] || $problems[] = "$name: has problems before one is planted, so each plant would be found";
        $controlled += (int) str_contains($text, '<!-- figures: ');
        $tables = preg_match_all(TABLE, $text, $matches, PREG_OFFSET_CAPTURE);
        $broken = [
            'an unknown part' => preg_replace('/<!-- figures: \w+ -->/', '<!-- figures: nobodys -->', $text, 1),
            'a part that is no word' => preg_replace('/<!-- figures: (\w+) -->/', '<!-- figures: $1- -->', $text, 1),
            'a table without its end' => str_contains($text, '<!-- /figures -->') ? substr_replace($text, '', (int) strrpos($text, '<!-- /figures -->'), strlen('<!-- /figures -->')) : $text,
        ];
        if (!str_contains($text, '<!-- figures: ')) {
            $broken = [];
        }
        $changed = fn(string $part): string => (string) preg_replace_callback('/\d(?=\D*$)/', fn(array $m): string => (string) (9 - (int) $m[0]), $part);
        foreach (array_keys(lines($name, $results)) as $pattern) {
            $broken["a changed digit of $pattern"] = preg_replace_callback($pattern, fn(array $line): string => $changed($line[0]), $text, 1);
        }
        if ($name === Bench\Picture::FILE) {
            $broken['a changed digit'] = $changed($text);
        }
        foreach (in_array($name, STRICT, true) ? ['4,321 ns', '98.7 µs', '765.4x', '43.21 %', '987 requests/s'] : [] as $figure) {
            $broken["a figure that was not measured, $figure"] = "$text\nLarder has $figure.\n";
        }
        for ($i = 0; $i < $tables; $i++) {
            [$table, $at] = $matches[3][$i];
            $broken['a changed digit of ' . $matches[2][$i][0]] = substr_replace($text, $changed($table), $at, strlen($table));
        }
        foreach ($broken as $what => $document) {
            $document !== $text && problems($name, (string) $document, $results) !== [] || $problems[] = "$name: $what was not found";
        }
    }
}
isset($options['control']) && $controlled === 0 && $problems[] = 'no document has a table of figures';
echo $problems === [] ? '' : implode("\n", $problems) . "\n";
exit($problems === [] ? 0 : 1);
