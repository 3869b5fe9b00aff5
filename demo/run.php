<?php

/* run.php - the demo: nginx and php-fpm on loopback. Their application loads this machine's package database into the cache once, and
 * answers requests under load while workers are killed.
 *
 *   php demo/run.php            measures, kills, prints a table; exit code 0 only if all was right
 *   php demo/run.php --serve    leaves the servers running until Ctrl-C or for LARDER_SERVE_SECONDS
 *
 * Every answer is compared with what this process computes from the file. Begin reading at measure() and kill_workers(). */

declare(strict_types=1);

namespace Demo;

use RuntimeException;
use Servers\Folder;
use Servers\Killer;
use Servers\Programs;
use Servers\Web;

require dirname(__DIR__) . '/tools/servers/autoload.php';

spl_autoload_register(function (string $class): void {
    $name = substr($class, strlen('Demo\\'));
    $file = __DIR__ . (is_file(__DIR__ . "/lib/$name.php") ? '/lib/' : '/app/') . "$name.php";
    is_file($file) && require $file;
});

const ROUNDS = 5;
const ROUND_SECONDS = 2;
const KILL_SECONDS = 5;
const QUESTIONS = 500;

/** @param list<float> $values */
function median(array $values): float
{
    sort($values);
    return $values[intdiv(count($values), 2)];
}

/** Format an amount with three significant digits. */
function amount(float $value): string
{
    return number_format($value, $value < 10 ? 2 : ($value < 100 ? 1 : 0));
}

/**
 * Writes the expected answers of the application, one "NAME ANSWER" in each line.
 * @param array<string, array<string, mixed>> $packages
 */
function write_answers(array $packages, string $path): void
{
    $names = array_map(strval(...), array_keys($packages));
    $step = max(1, intdiv(count($names), QUESTIONS));
    $lines = '';
    for ($i = 0; $i < count($names) && $i < QUESTIONS * $step; $i += $step) {
        $lines .= $names[$i] . ' ' . Answer::text(Answer::about($packages, $names[$i])) . "\n";
    }
    file_put_contents($path, $lines);
}

/** The failures and the number of right answers, over all runs. */
final class Tally
{
    public int $checked = 0;
    /** @var list<string> */
    public array $faults = [];

    public function add(string $name, Load $load, int $mayLose): Load
    {
        $this->checked += $load->right + $load->wrong;
        $load->wrong === 0 || $this->faults[] = "$name: $load->wrong wrong answers, such as $load->firstWrong";
        $load->failed === 0 || $this->faults[] = "$name: $load->failed connections refused or answers too late";
        $load->lost <= $mayLose || $this->faults[] = "$name: $load->lost answers lost";
        return $load;
    }
}

/** Run rounds of each mode in turn, so that a disturbance affects all modes. Prints the table of medians. */
function measure(Web $servers, Tally $tally): void
{
    $figures = [];
    for ($round = 0; $round <= ROUNDS; $round++) {
        foreach (Packages::MODES as $mode => $name) {
            $before = $servers->settledCpu();
            $load = Load::run($servers->url, $mode, "$servers->folder/answers", $round === 0 ? 1 : ROUND_SECONDS);
            $spent = $servers->settledCpu() - $before;
            $servers->check();
            $tally->add($name, $load, 0);
            if ($round > 0) { // round 0 only fills the caches
                $load->right > 0 || $tally->faults[] = "$name: no answer";
                $figures[$mode]['perSecond'][] = $load->perSecond;
                $figures[$mode]['median'][] = $load->median;
                $figures[$mode]['p99'][] = $load->p99;
                // Add one request for each connection: the workers served its last request, but its answer came too late to be counted.
                $figures[$mode]['cpu'][] = $spent * 1e6 / ($load->right + Load::CONNECTIONS);
            }
        }
    }
    $medians = array_map(fn(array $of): array => array_map(median(...), $of), $figures);
    $row = "%-10s %12s %11s %9s %16s %13s %9s\n";
    $header = sprintf($row, '', 'requests/s', 'median ms', 'p99 ms', 'CPU us/request', 'vs no cache', 'vs APCu');
    echo "\n", str_replace(' us/', ' µs/', $header); // sprintf() pads by bytes, and µ has two, so insert µ after the padding
    foreach (Packages::MODES as $mode => $name) {
        $is = $medians[$mode];
        $times = fn(string $other): string => amount($medians[$other]['cpu'] / $is['cpu']) . 'x';
        $cells = array_map(amount(...), [$is['perSecond'], $is['median'], $is['p99'], $is['cpu']]);
        printf($row, $name, ...$cells, ...[$times('none'), $times('apcu')]);
    }
}

/** Kills workers while the load goes on. */
function kill_workers(Web $servers, Tally $tally): void
{
    $kill = new Killer($servers);
    $run = fn(int $seconds, ?callable $meanwhile = null): Load =>
        Load::run($servers->url, 'larder', "$servers->folder/answers", $seconds, $meanwhile);
    $before = $tally->add('before the kills', $run(ROUND_SECONDS), 0);
    $during = $run(KILL_SECONDS, $kill);
    $tally->add('during the kills', $during, $kill->kills); // a worker handles one request at a time, so each kill may lose one request
    $after = $tally->add('after the kills', $run(ROUND_SECONDS), 0);
    $servers->check();
    $kill->kills > 0 || $tally->faults[] = 'no worker could be killed';
    $after->perSecond > $before->perSecond / 2 || $tally->faults[] = 'the load did not come back after the kills';

    printf("\n%d workers killed in %d s, with Larder:\n", $kill->kills, KILL_SECONDS);
    $rates = array_map(fn(Load $load): string => amount($load->perSecond), [$before, $during, $after]);
    printf("  requests/s     %s before, %s meanwhile, %s after\n", ...$rates);
    $right = number_format($during->right);
    echo "  answers        $right right, $during->wrong wrong, $during->lost lost with their worker\n";
}

/** @return array<string, mixed> */
function status(Web $servers): array
{
    $status = json_decode($servers->get('/status') ?? 'null', true);
    return is_array($status) ? $status : throw new RuntimeException("no status\n" . $servers->logs());
}

function demonstrate(Web $servers, Tally $tally): bool
{
    measure($servers, $tally);
    kill_workers($servers, $tally);
    $status = status($servers);
    $status['loads'] === 1 || $tally->faults[] = "Larder's entry was computed $status[loads] times";
    $status['apcu'] || $tally->faults[] = 'APCu did not keep the database';
    printf("  the database   loaded once, %s MB in Larder, still there\n\n", amount($status['bytes'] / 1e6));
    foreach ($tally->faults as $fault) {
        echo "WRONG: $fault\n";
    }
    printf("%s answers checked: %s\n", number_format($tally->checked), $tally->faults === [] ? 'all right' : 'NOT all right');
    return $tally->faults === [];
}

/** Leaves the servers running for visitors, until a signal or for $seconds seconds. */
function serve(Web $servers, int $seconds): bool
{
    foreach (array_keys(Packages::MODES) as $mode) {
        for ($i = 0; $i < 5; $i++) {
            $servers->get("/?mode=$mode");
        }
    }
    echo "\n$servers->url    " . ($seconds > 0 ? "for $seconds s; Ctrl-C stops it" : 'Ctrl-C stops it') . "\n";
    for ($end = microtime(true) + $seconds; $seconds === 0 || microtime(true) < $end; usleep(200000)) {
        $servers->check();
    }
    return true;
}

/** @return list<string> */
function ini(): array
{
    return [
        'zend_extension=opcache',
        'extension=' . Programs::extension('igbinary'),
        'extension=' . Programs::extension('posix'),
        'extension=' . Programs::extension('apcu'),
        'extension=' . dirname(__DIR__) . '/php/modules/larder.so',
        'opcache.enable=1',
        'apc.shm_size=128M',
        'apc.serializer=igbinary', // APCu's fastest serializer
        'larder.volatile_size=128M',
        'memory_limit=256M',
        'display_errors=0',
        'log_errors=1',
        'expose_php=0',
    ];
}

function main(bool $serve): int
{
    $folder = Folder::make('larder-demo');
    $params = ['DEMO_PACKAGES' => "$folder/packages"] + ($serve ? ['DEMO_KILL' => '1', 'HTTP_SEC_FETCH_SITE' => '$http_sec_fetch_site'] : []);
    $servers = new Web($folder, __DIR__ . '/app', ini(), $params, Folder::freePort($serve ? 8080 : 0));
    register_shutdown_function(function () use ($servers, $folder): void {
        $servers->stop();
        Folder::remove($folder);
    });
    pcntl_async_signals(true);
    foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
        pcntl_signal($signal, fn(int $number) => exit($serve && $number === SIGINT ? 0 : 128 + $number));
    }

    $started = microtime(true);
    $what = Source::gather("$folder/packages");
    $read = microtime(true);
    $packages = PackageFile::read("$folder/packages");
    $seconds = microtime(true) - $read;
    write_answers($packages, "$folder/answers");
    $size = filesize("$folder/packages") / 1e6;
    printf("%s: %s MB of text, %s ms to read\n", $what, amount($size), amount($seconds * 1e3));
    unset($packages);

    $servers->start();
    $status = status($servers);
    $status['available'] || throw new RuntimeException("Larder is off in php-fpm: $status[reason]");
    if ($serve) {
        return serve($servers, (int) getenv('LARDER_SERVE_SECONDS')) ? 0 : 1;
    }
    $tally = new Tally();
    printf("php-fpm, %d workers; nginx; wrk, %d connections; APCu with igbinary. ", Web::WORKERS, Load::CONNECTIONS);
    echo "A request takes the whole database\nfrom the cache and answers about one package. ";
    printf("Medians of %d rounds of %d s, in turn.\nCPU is that of the workers; the ratios are of it.\n", ROUNDS, ROUND_SECONDS);
    $good = demonstrate($servers, $tally);
    printf("%.0f s\n", microtime(true) - $started);
    return $good ? 0 : 1;
}

try {
    exit(main(in_array('--serve', $argv, true)));
} catch (RuntimeException $failure) {
    fwrite(STDERR, 'demo: ' . rtrim($failure->getMessage()) . "\n");
    exit(2);
}
