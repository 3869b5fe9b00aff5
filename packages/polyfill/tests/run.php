<?php

/**
 * Runs tests of the extension (php/tests) with the polyfill in its place.
 *   php packages/polyfill/tests/run.php [--jobs=2] [FOLDER-OR-FILE...]
 * Without FOLDER-OR-FILE, runs all these tests, and also the polyfill's own tests in cases/. differences.txt lists the tests that cannot
 * pass, with the reason. Fails if any other test fails, or if a listed test passes. Ends with "N passed, N failed, N skipped"; a listed
 * test that fails counts as passed.
 */

declare(strict_types=1);

namespace Larder\Polyfill\Tests;

const FOLDERS = ['cache', 'pool', 'remember', 'queue', 'errors'];
const LIMIT = 120; // seconds that a test may take
const LISTED_LIMIT = 20;
const LEAST = 90; // minimum percentage of passing tests, among the tests in FOLDERS that are not skipped

$project = \dirname(__DIR__, 3);
$options = getopt('', ['jobs:'], $rest);
$given = \array_slice($argv, $rest);
$tests = files($project, $given !== [] ? $given : array_map(fn($folder) => "$project/php/tests/$folder", FOLDERS));
$listed = differences(__DIR__ . '/differences.txt');
$all = \count($tests);
// Leave out the tests that differences.txt marks with "extension": without the extension, some of them would wait for ever.
$tests = array_filter($tests, static fn(string $test): bool => ($listed[name($test)] ?? '') !== 'extension');
$own = $given === [] ? files($project, [__DIR__ . '/cases']) : [];
$work = "$project/build/polyfill";

$results = ['pass' => [], 'fail' => [], 'skip' => []];
$running = [];
// The null after the last test makes the loop wait until all running tests have ended.
foreach ([...$tests, ...$own, ...array_fill(0, (int) ($options['jobs'] ?? 2), null)] as $test) {
    while (\count($running) >= ($test === null ? 1 : (int) ($options['jobs'] ?? 2))) {
        foreach ($running as $name => $job) {
            if (proc_get_status($job->process)['running']) {
                continue;
            }
            unset($running[$name]);
            $results[$result = $job->result()][] = $name;
            if ($result === 'fail' && !isset($listed[$name])) {
                echo "FAIL $name\n", $job->difference();
            }
        }
        usleep(5000);
    }
    if ($test === null) {
        break;
    }
    $name = name($test);
    $running[$name] = new Job($test, "$work/$name", isset($listed[$name]) ? LISTED_LIMIT : LIMIT);
}

$wrong = array_diff($results['fail'], array_keys($listed));
$better = array_intersect($results['pass'], array_keys($listed));
foreach ($better as $name) {
    echo "PASS $name, which tests/differences.txt says it does not: take it out there\n";
}
$gone = array_filter(array_keys($listed), fn($name) => !is_file("$project/php/tests/$name"));
foreach ($gone as $name) {
    echo "GONE $name, which tests/differences.txt lists\n";
}
$ofExtension = fn(string $result): int => \count(array_filter($results[$result], fn($name) => !str_starts_with($name, 'cases/')));
$passed = $ofExtension('pass');
$all -= $ofExtension('skip');
$percent = $all > 0 ? intdiv(100 * $passed, $all) : 0;
echo "polyfill: $passed of $all tests of the extension pass ($percent %)\n";
$few = $given === [] && $percent < LEAST;
if ($few) {
    echo 'FAIL that is fewer than ', LEAST, " %\n";
}
$failed = \count($wrong) + \count($better) + \count($gone) + (int) $few;
printf("%d passed, %d failed, %d skipped\n", \count($results['pass']) + \count($results['fail']) - \count($wrong) - \count($better), $failed, \count($results['skip']));
exit($failed === 0 ? 0 : 1);

/** Returns the name that differences.txt has for a test. */
function name(string $test): string
{
    return basename(\dirname($test)) . '/' . basename($test);
}

/**
 * @param list<string> $places
 * @return list<string>
 */
function files(string $project, array $places): array
{
    $files = [];
    foreach ($places as $place) {
        $place = realpath($place) ?: realpath("$project/php/tests/$place");
        $place !== false || throw new \RuntimeException('there is no such test');
        array_push($files, ...(is_dir($place) ? glob("$place/*.phpt") : [$place]));
    }
    return $files;
}

/** @return array<string, string> by test name: the kind of difference */
function differences(string $file): array
{
    $listed = [];
    foreach (file($file, FILE_IGNORE_NEW_LINES) as $line) {
        if ($line === '' || $line[0] === '#') {
            continue;
        }
        preg_match('/^(\S+\.phpt) +(extension|php) +(\S.*)$/', $line, $m) || throw new \RuntimeException("differences.txt: wrong: $line");
        $listed[$m[1]] = $m[2];
    }
    return $listed;
}

/** A running test. */
final class Job
{
    private const AUTOLOAD = 'auto_prepend_file=' . __DIR__ . '/../autoload.php';
    private const SETTINGS = [
        'display_errors=1', 'error_reporting=-1', 'log_errors=0', 'html_errors=0', 'memory_limit=128M', 'precision=14',
        'serialize_precision=-1', 'output_buffering=0', 'report_memleaks=0', 'zend.assertions=1',
    ];

    /** @var resource */
    public readonly mixed $process;
    /** @var array<string, string> */
    private readonly array $sections;
    private readonly string $base;
    private bool $skips = false;

    public function __construct(string $test, string $place, int $limit)
    {
        $parts = preg_split('/^--([A-Z_]+)--\r?\n/m', (string) file_get_contents($test), -1, PREG_SPLIT_DELIM_CAPTURE);
        $this->sections = array_combine(...array_map(fn(int $odd) => array_values(array_filter(
            array_slice($parts, 1),
            fn(int $i) => $i % 2 === $odd,
            ARRAY_FILTER_USE_KEY,
        )), [0, 1]));
        $this->base = substr($place, 0, -5);
        is_dir(\dirname($place)) || mkdir(\dirname($place), 0777, true);
        $include = \dirname($place, 2) . '/include';
        is_link($include) || symlink(\dirname($test, 2) . '/include', $include);
        /* A test that starts another PHP with the extension gets the polyfill there, too. */
        $modules = '$modules = ' . var_export(['-d', self::AUTOLOAD], true) . ';';
        file_put_contents("$this->base.php", preg_replace('/^\$modules = .*;$/m', $modules, $this->sections['FILE']));
        $this->process = $this->isSkipped() ? $this->start(['true'], 1) : $this->start($this->php("$this->base.php"), $limit);
    }

    public function result(): string
    {
        if (isset($this->sections['CLEAN'])) {
            file_put_contents("$this->base.clean.php", $this->sections['CLEAN']);
            exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', "$this->base.clean.php"])));
        }
        return $this->skips ? 'skip' : ($this->matches() ? 'pass' : 'fail');
    }

    public function difference(): string
    {
        file_put_contents("$this->base.exp", $this->sections['EXPECT'] ?? $this->sections['EXPECTF']);
        exec('diff ' . escapeshellarg("$this->base.exp") . ' ' . escapeshellarg("$this->base.out") . ' | head -n 20', $lines);
        return '    ' . implode("\n    ", $lines) . "\n";
    }

    private function isSkipped(): bool
    {
        foreach (array_filter(array_map(trim(...), explode("\n", $this->sections['EXTENSIONS'] ?? ''))) as $extension) {
            $this->skips = $this->skips || ($extension !== 'larder' && !\extension_loaded($extension));
        }
        if (!$this->skips && isset($this->sections['SKIPIF'])) {
            file_put_contents("$this->base.skip.php", $this->sections['SKIPIF']);
            proc_close($this->start($this->php("$this->base.skip.php"), 60));
            $this->skips = str_starts_with(ltrim((string) file_get_contents("$this->base.out")), 'skip');
        }
        return $this->skips;
    }

    /** @return list<string> */
    private function php(string $file): array
    {
        $settings = [...self::SETTINGS, ...array_filter(array_map(trim(...), explode("\n", $this->sections['INI'] ?? '')))];
        foreach (['mbstring', 'posix', 'ctype'] as $extension) {
            if (is_file(\ini_get('extension_dir') . "/$extension.so")) {
                $settings[] = "extension=$extension";
            }
        }
        $settings[] = self::AUTOLOAD;
        return [PHP_BINARY, '-n', ...array_merge(...array_map(fn($setting) => ['-d', $setting], $settings)), $file];
    }

    /**
     * Starts a command under timeout(1). After $limit seconds, timeout kills the command and the processes that the command has started.
     * @param list<string> $command
     * @return resource
     */
    private function start(array $command, int $limit): mixed
    {
        $out = ['file', "$this->base.out", 'w'];
        $process = proc_open(
            ['timeout', '--signal=KILL', (string) $limit, ...$command],
            [['file', '/dev/null', 'r'], $out, ['redirect', 1]],
            $pipes,
            \dirname($this->base),
            ['TEST_PHP_EXECUTABLE' => PHP_BINARY, 'LARDER_PROJECT' => \dirname(__DIR__, 3)] + getenv(),
        );
        return $process !== false ? $process : throw new \RuntimeException('a process could not be started');
    }

    private function matches(): bool
    {
        $out = trim(str_replace("\r\n", "\n", (string) file_get_contents("$this->base.out")));
        $out = (string) preg_replace('/(?<= given), called in \S+ on line \d+$/m', '', $out); // PHP adds this only for functions that are written in PHP
        $out = (string) preg_replace_callback( // PHP has another message for built-in functions
            '/Too few arguments to function (\S+), (\d+) passed in \S+ on line \d+ and (exactly|at least) (\d+) expected$/m',
            fn(array $m) => "$m[1] expects $m[3] $m[4] argument" . ($m[4] === '1' ? '' : 's') . ", $m[2] given",
            $out,
        );
        if (isset($this->sections['EXPECT'])) {
            return $out === trim($this->sections['EXPECT']);
        }
        $patterns = [
            '%a' => '.+?', '%A' => '.*?', '%s' => '[^\r\n]+', '%S' => '[^\r\n]*', '%w' => '\s*', '%i' => '[+-]?\d+',
            '%d' => '\d+', '%x' => '[0-9a-fA-F]+', '%f' => '[+-]?(?:\d+|(?=\.\d))(?:\.\d+)?(?:[Ee][+-]?\d+)?', '%c' => '.', '%%' => '%',
        ];
        return preg_match('/^' . strtr(preg_quote(trim($this->sections['EXPECTF']), '/'), $patterns) . '$/s', $out) === 1;
    }
}
