<?php

/* Runs a Symfony application, and one on Debian's Laravel, under nginx and php-fpm. Their pages must see the same values with Larder as
 * with files, even with many requests at once, and while workers are killed.
 *
 *   php packages/php/tests/apps/run.php [--kills=N] [--pages=N]
 *
 * Ends with "N passed, N failed"; says "skipped" for what is missing. run.sh installs Composer's packages. */

declare(strict_types=1);

use Servers\Folder;
use Servers\Killer;
use Servers\Programs;
use Servers\Web;

$project = dirname(__DIR__, 4);
require "$project/tools/servers/autoload.php";
require dirname(__DIR__) . '/Report.php';

/** Sends a request for each path, $width at a time. Returns the answers; null means that no answer came. @return list<?array> */
function ask(Web $web, array $paths, int $width, ?callable $meanwhile = null): array
{
    $answers = [];
    foreach (array_chunk($paths, $width) as $some) {
        $streams = $texts = [];
        foreach ($some as $i => $path) {
            [$path, $cookie] = (array) $path + [1 => ''];
            $streams[$i] = stream_socket_client('tcp' . substr($web->url, 4), $_, $_, 60);
            fwrite($streams[$i], "GET $path HTTP/1.0\r\nHost: localhost\r\n" . ($cookie ? "Cookie: $cookie\r\n" : '') . "\r\n");
            stream_set_blocking($streams[$i], false);
            $texts[$i] = '';
        }
        for ($end = microtime(true) + 120; $streams && microtime(true) < $end;) {
            $read = $streams;
            $write = $except = [];
            stream_select($read, $write, $except, 0, 20000);
            foreach ($read as $i => $stream) {
                $texts[$i] .= fread($stream, 1 << 20);
                if (feof($stream)) {
                    unset($streams[$i]);
                }
            }
            $meanwhile && mt_rand(0, 3) === 0 && $meanwhile();
        }
        foreach ($texts as $text) {
            [$head, $body] = explode("\r\n\r\n", $text, 2) + [1 => ''];
            $value = str_contains($head, ' 200 ') ? json_decode($body, true) : null;
            preg_match('/^Set-Cookie: ((?:PHPSESSID|session)=[^;\r]*)/mi', $head, $cookie);
            $answers[] = $value === null ? (str_contains($head, ' 500 ') ? ['wrong' => [substr($body, 0, 200)]] : null) : $value + ['cookie' => $cookie[1] ?? null];
        }
    }
    return $answers;
}

function start(string $folder, string $framework, string $driver, string $project, string $vendor): Web
{
    $module = getenv('LARDER_MODULE') ?: "$project/php/modules/larder.so";
    $place = "$folder/$framework-$driver";
    foreach (['', '/var'] as $sub) {
        mkdir($place . $sub);
        chmod($place . $sub, 0777);
    }
    $app = "$folder/app-$framework-$driver";
    Web::copy(__DIR__ . "/$framework", $app);
    copy(__DIR__ . '/Value.php', "$app/Value.php");
    $extensions = array_filter(['mbstring', 'ctype', 'tokenizer', 'iconv', 'dom', 'xml', 'fileinfo', 'posix'], fn($e) => is_file(Programs::extension($e)));
    $web = new Web($place, $app, [
        'zend_extension=opcache', 'opcache.enable=1', "extension=$module", ...array_map(fn($e) => "extension=$e", $extensions),
        'memory_limit=256M', 'display_errors=0', 'log_errors=1', "error_log=$place/php.log", 'larder.volatile_size=8M',
    ], [
        'LARDER_DRIVER' => $driver, 'LARDER_VENDOR' => "$folder/vendor", 'LARDER_PACKAGE' => "$folder/package", 'LARDER_TESTS' => "$folder/tests",
        'SERVER_NAME' => 'localhost', 'SERVER_PORT' => '80', 'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '127.0.0.1', 'SCRIPT_NAME' => '/index.php',
    ], Folder::freePort());
    $web->start();
    return $web;
}

function run(string $framework, Web $larder, Web $files, int $pages, int $kills, Report $report): void
{
    $path = fn(int $n): string => "/work/$n";
    foreach (range(1, $pages) as $n) { // one after the other, because a page depends on those before it
        [$expected] = ask($files, [$path($n)], 1);
        [$actual] = ask($larder, [$path($n)], 1);
        if ($expected !== $actual || ($expected['seen'] ?? []) === []) {
            $report->same("$framework: page $n", $expected, $actual);
            break;
        }
    }
    $report->same("$framework: $pages pages are those with files", $pages, $n);

    foreach (['files' => $files, 'larder' => $larder] as $name => $web) {
        [$first] = ask($web, ['/session'], 1);
        $cookie = $first['cookie'] ?? '';
        $answers = ask($web, array_fill(0, 20, ['/session', $cookie]), $framework === 'symfony' ? 5 : 1); // Laravel does not lock sessions
        $counts = array_column($answers, 'count');
        sort($counts);
        $report->same("$framework: a session with $name", range(2, 21), $counts);
        $report->same("$framework: nobody else's session with $name", 1, ask($web, ['/session'], 1)[0]['count'] ?? null);
    }

    $answers = ask($larder, array_map($path, range(100000, 100239)), 24);
    $report->same("$framework: many at once", [0, []], [count(array_keys($answers, null, true)), array_merge(...array_column(array_filter($answers), 'wrong'))]);

    $killer = new Killer($larder);
    $right = $lost = 0;
    $wrong = [];
    for ($n = 200000; $killer->kills < $kills && $n < 220000; $n += 48) {
        foreach (ask($larder, array_map($path, range($n, $n + 47)), 12, $killer) as $answer) {
            match (true) {
                $answer === null => $lost++,
                $answer['wrong'] === [] => $right++,
                default => $wrong[] = $answer['wrong'],
            };
        }
    }
    usleep(500000);
    $after = ask($larder, array_map($path, range(300000, 300023)), 4);
    echo "$framework: $killer->kills workers killed: $right right answers, ", count($wrong), " wrong, $lost lost with their worker\n";
    $report->same("$framework: no wrong answer", [], $wrong);
    $report->same("$framework: right answers while workers are killed", true, $right > 20 && $killer->kills >= $kills);
    $report->same("$framework: afterwards", [24, []], [count(array_filter($after)), array_merge(...array_column(array_filter($after), 'wrong'))]);
    $report->same("$framework: what Larder says", '', implode("\n", array_unique(preg_grep('/Larder|Fatal|Uncaught/', @file("$larder->folder/php.log") ?: []))));
}

$options = getopt('', ['kills:', 'pages:']);
if (!is_file('/usr/sbin/nginx')) {
    exit("apps: skipped: nginx is missing (tools/setup.sh lib-apps installs it)\n");
}
$vendor = (getenv('LARDER_LIB') ?: "$project/build/lib") . '/vendor';
if (!is_file("$vendor/psr/cache/composer.json")) {
    exit("apps: skipped: Composer's packages are missing (packages/php/tests/run.sh --install-only)\n");
}
$report = new Report();
$folder = Folder::make('larder-apps');
mkdir("$folder/tests");
copy(dirname(__DIR__) . '/polyfill.php', "$folder/tests/polyfill.php");
Web::copy(dirname(__DIR__, 2) . '/src', "$folder/package"); // for the workers' user
exec('cp -r ' . escapeshellarg($vendor) . ' ' . escapeshellarg("$folder/vendor") . ' && chmod -R a+rX ' . escapeshellarg("$folder/vendor"));
try {
    foreach (['symfony', 'laravel'] as $framework) {
        if ($framework === 'symfony' ? !is_dir("$vendor/symfony/framework-bundle") : !is_file('/usr/share/php/Illuminate/Foundation/Application.php')) {
            echo "$framework: skipped: it is not installed\n";
            continue;
        }
        $sites = [];
        try {
            $sites = [start($folder, $framework, 'larder', $project, $vendor), start($folder, $framework, 'files', $project, $vendor)];
            run($framework, $sites[0], $sites[1], (int) ($options['pages'] ?? 60), (int) ($options['kills'] ?? 20), $report);
        } finally {
            array_map(fn(Web $web) => $web->stop(), $sites);
        }
    }
} finally {
    getenv('LARDER_KEEP') ? print("kept: $folder\n") : Folder::remove($folder);
}
echo "$report->passed passed, $report->failed failed\n";
exit($report->failed === 0 ? 0 : 1);
