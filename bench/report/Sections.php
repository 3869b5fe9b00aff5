<?php

declare(strict_types=1);

namespace Bench\Report;

/** Turns the figures of each benchmark into parts of the report. */
final class Sections
{
    /** The drivers whose fetches are drawn. The tables have all drivers. */
    private const FEW = ['fake', 'larder', 'apcu', 'memcached', 'redis'];

    private const SCALE = 'each step of the scale is a factor of ten';

    private const MICRO = [
        'int' => 'int', 's100' => 'string, 100 B', 's100k' => 'string, 100 KB', 'a8' => 'array of 8',
        'l1000' => 'list of 1,000 ints', 'a1000' => 'array of 1,000 strings', 'n5000' => '5,000 nested arrays',
        'miss' => 'a miss', '32' => '32 ints at once',
    ];

    /** @param array<string, mixed> $data build/bench/http.json */
    public static function http(Report $report, array $data): void
    {
        $cache = $data['cache'];
        $cost = fn(array $of): float => $of['workers'] + $of['servers'];
        $rank = fn(string $driver): array => [$driver !== 'fake', $cost($cache[$driver])];
        uksort($cache, fn(string $a, string $b): int => $rank($a) <=> $rank($b));
        $column = fn(string $what): array => array_map(fn(array $of): float => (float) $of[$what], $cache);
        $cells = fn(string $what, string $format): array =>
            array_map(fn(array $of): string => sprintf($format, $of[$what]), array_values($cache));

        $report->heading(
            'Through a web server',
            'nginx, php-fpm and one cache operation for each request. A request costs far more than the operation, so '
            . 'caches in the process nearly tie here: look at the processor time.',
        );
        self::conditions($report, $data);
        $report->chart(
            'Processor time of a request that increments a counter',
            'Shorter is better: what is longer than “fake”, which uses no cache, is the cost of the cache, in PHP and in '
            . 'its server.',
            'µs per request',
            ['PHP workers' => $column('workers'), "the cache's server" => $column('servers')],
            stacked: true,
            columns: ['over fake' => $cells('overFake', '%+.2f')],
        );
        $report->chart(
            'Requests per second',
            'Longer is better; nothing can be faster than “fake”, and differences of a few percent are noise.',
            'requests/s',
            ['requests/s' => $column('perSecond')],
            columns: ['to fake' => $cells('ratio', '%.3f')],
        );
        $report->chart(
            'Latency',
            'Shorter is better: half of the answers take up to the first bar, 99 of 100 up to the second, at full load.',
            'µs',
            ['half' => $column('p50'), '99 %' => $column('p99')],
        );
        $costs = [];
        foreach ($data['fetch'] as $payload => $by) {
            foreach ($by as $driver => $of) {
                $costs[$driver][$data['titles'][$payload]] = $cost($of);
            }
        }
        self::few(
            $report,
            'Processor time of a request that fetches a value',
            'Shorter is better: each group is one value, “fake” is a request that fetches nothing; server time is included.',
            'µs per request',
            $costs,
            false,
        );
    }

    /** Adds the conditions of the measurements, and the failures. */
    private static function conditions(Report $report, array $data): void
    {
        $pinned = $data['pinned'] ? " nginx and wrk have one processor, PHP and the caches' servers another." : '';
        $report->text("{$data['workers']} workers, {$data['connections']} connections, medians of {$data['rounds']} "
            . "interleaved rounds of {$data['seconds']} s.$pinned");
        $good = $data['faults'] === [];
        $result = $good ? 'all right, no increment lost.' : 'WRONG: ' . implode('; ', $data['faults']);
        $report->text(number_format($data['checked']) . " answers checked: $result", $good ? 'quiet' : 'wrong');
        $kills = $data['kills'];
        if ($kills !== null) {
            $report->text("Larder with {$kills['kills']} workers killed in {$kills['seconds']} s: "
                . number_format($kills['right']) . " increments answered, {$kills['twice']} numbers given twice, "
                . "{$kills['lost_answers']} answers lost with their worker.");
        }
        foreach ($data['absent'] as $driver => $why) {
            $report->text("Not measured: $driver. $why");
        }
    }

    /**
     * Adds a chart of the drivers in FEW. Its table has all drivers.
     * @param array<string, array<string, float>> $all by driver and label
     */
    private static function few(Report $report, string $title, string $reading, string $unit, array $all, bool $log): void
    {
        $series = array_replace(array_intersect_key(array_flip(self::FEW), $all), array_intersect_key($all, array_flip(self::FEW)));
        $others = array_map(
            fn(array $values): array => array_map(Report::amount(...), array_values($values)),
            array_diff_key($all, $series),
        );
        $report->chart($title, $reading, $unit, $series, $log, columns: $others);
    }

    /** @param array<string, mixed> $data build/bench/cli.json */
    public static function cli(Report $report, array $data): void
    {
        $report->heading(
            'The same drivers without the web',
            'A loop in PHP calls the driver, in one process and in two at once; ' . self::SCALE . '.',
        );
        $rates = fn(string $operation, int $processes): array =>
            array_map(fn(array $of): float => (float) $of[$operation][$processes], $data['figures']);
        $report->chart(
            'Increments of a counter',
            'Longer is better: operations per second of one process, and of two together that share the counter.',
            'operations/s',
            ['one process' => $rates('count', 1), 'two processes' => $rates('count', 2)],
            log: true,
        );
        foreach ([1 => 'one process', 2 => 'two processes together'] as $processes => $title) {
            $all = [];
            foreach ($data['titles'] as $payload => $what) {
                foreach ($rates($payload, $processes) as $driver => $rate) {
                    $all[$driver][$what] = $rate;
                }
            }
            $reading = 'Longer is better: how often a second the value is fetched; “fake” is the loop alone.';
            self::few($report, "Fetches, $title", $reading, 'fetches/s', $all, true);
        }
    }

    /** @param array<string, mixed> $data build/bench/php-micro.json */
    public static function micro(Report $report, array $data): void
    {
        $report->heading(
            'One operation in PHP',
            'Processor time of one call, the loop around it included; APCu with each of its serializers.',
        );
        $systems = array_diff_key($data['figures'], ['baseline' => 0]);
        foreach (['get' => 'Reading', 'set' => 'Writing'] as $kind => $title) {
            $series = [];
            foreach ($systems as $system => $cases) {
                foreach ($cases as $case => $of) {
                    [$is, $what] = explode(' ', "$case ", 2);
                    if ($is === $kind) {
                        $series[$system][self::MICRO[trim($what)] ?? $what] = (float) $of[1];
                    }
                }
            }
            $reading = 'Shorter is better: nanoseconds of one call; ' . self::SCALE . '.';
            $report->chart($title, $reading, 'ns per call', $series, log: true);
        }
    }

    /** @param array<string, mixed> $data build/bench/php-objects.json */
    public static function objects(Report $report, array $data): void
    {
        $report->heading('Objects in PHP', 'Processor time of fetching object graphs and freeing them, and of storing them.');
        foreach (['get' => 'Fetching objects', 'set' => 'Storing objects'] as $kind => $title) {
            $series = [];
            foreach ($data['figures'][$kind] as $case => $by) {
                foreach ($by as $system => $ns) {
                    $series[$system]["$case ({$data['objects'][$case]})"] = $ns / 1e3;
                }
            }
            $reading = 'Shorter is better: microseconds for the whole graph, the number of its objects in brackets; '
                . self::SCALE . '.';
            $report->chart($title, $reading, 'µs per graph', $series, log: true);
        }
    }

    /** @param array<string, mixed> $data build/bench/php-resident.json */
    public static function resident(Report $report, array $data): void
    {
        $names = ['first' => 'the first fetch of a request', 'further' => 'a further fetch', 'int' => 'an int, to compare'];
        $series = array_map(fn(array $by): array => array_combine($names, array_map(fn(string $k): float => $by[$k], array_keys($names))), $data['figures']);
        $reading = 'Shorter is better: nanoseconds of one fetch of 2,000 readonly objects in a web request; Larder gives the '
            . 'objects that it built in an earlier one; ' . self::SCALE . '.';
        $report->chart('Objects that nobody can change', $reading, 'ns per fetch', $series, log: true);
    }

    /** @param array<string, mixed> $data build/bench/php-compat.json */
    public static function compat(Report $report, array $data): void
    {
        $report->heading(
            "Other caches' names",
            "The layers that give code for other caches Larder's store, one series for each.",
        );
        $series = [];
        $native = $data['figures']['larder'];
        foreach ($data['figures'] as $system => $cases) {
            foreach (str_starts_with($system, 'compat ') ? array_intersect_key($cases, $native) : [] as $case => $of) {
                $series[substr($system, strlen('compat '))][$case] = $of[1] / $native[$case][1];
            }
        }
        $reading = "1 is what Larder's own method takes for the same case; a bar to 1.2 is 20 % more.";
        $report->chart("Time beside Larder's own classes", $reading, 'times', $series);
    }

    /** @param array<string, array<string, mixed>> $files build/bench/{get,set,evict,memory,recovery}.json by name */
    public static function core(Report $report, array $files): void
    {
        $report->heading('The core in C', 'The engine without PHP, called from C.');
        $times = ['1 proc ns' => 'one process', '2 procs ns' => 'two processes'];
        $charts = [
            ['get', 'Lookups', 'Shorter is better: processor time of one lookup alone and with a second process at it, which '
                . 'should be alike; “plain table” is a hash table that is not shared.', 'ns per lookup', $times, true],
            ['set', 'Writes', 'Shorter is better: processor time of one write; two processes that write the same thing wait '
                . 'for each other.', 'ns per write', $times, true],
            ['set', 'By the size of the value', 'Shorter is better: a get costs the same for any size, a put comes near to '
                . 'copying (memcpy) for large values.', 'ns',
                ['get ns' => 'get', 'put ns' => 'put', 'memcpy ns' => 'memcpy'], true],
            ['evict', 'What is evicted', 'Shorter is better: requests in a hundred that miss when a part of all objects fits, '
                . 'with four ways to choose what goes.', 'misses in %',
                ['larder' => 'larder', 'LRU' => 'LRU', 'CLOCK' => 'CLOCK', '2-random' => '2-random'], false],
            ['memory', 'Memory', 'Shorter is better: bytes of memory for each byte of key and value in a full store; 1 cannot '
                . 'be reached.', 'times', ['total/paid' => 'memory / contents'], false],
            ['recovery', 'After a death inside a write', 'Shorter is better: how long the next write to that part of the '
                . 'store waits, once.', 'µs', ['recover us' => 'median', 'worst us' => 'worst'], true],
        ];
        foreach ($charts as [$file, $title, $reading, $unit, $columns, $log]) {
            if (isset($files[$file])) {
                $report->chart($title, $reading, $unit, self::rows($files[$file]['rows'], $columns), $log);
            }
        }
    }

    /**
     * @param list<array<string, mixed>> $rows
     * @param array<string, string> $columns names of series
     * @return array<string, array<string, float>>
     */
    private static function rows(array $rows, array $columns): array
    {
        $series = [];
        foreach ($rows as $row) {
            foreach (array_intersect_key($columns, $row) as $column => $name) {
                $label = isset($series[$name][$row['name']]) ? "{$row['name']}, {$row['section']}" : $row['name'];
                $series[$name][$label] = (float) $row[$column];
            }
        }
        return $series;
    }
}
