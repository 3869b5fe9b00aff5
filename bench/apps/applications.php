<?php

/* applications.php - the table of applications for run.php. Each is an array:
 *
 *   needs    files without which it is skipped
 *   site     starts its servers with one cache
 *   pages    the paths that are asked for
 *   normal   returns a page without the parts that differ from request to request
 *   tail     number of bytes at a page's end that never differ
 *   before, fill   optional: start a database; make its content */

declare(strict_types=1);

use Servers\Folder;
use Servers\Programs;
use Servers\Web;

/** An application of the project's own, on a framework. */
function framework(string $name, string $project): array
{
    $vendor = (getenv('LARDER_LIB') ?: "$project/build/lib") . '/vendor';
    return [
        'needs' => ['/usr/sbin/nginx', "$vendor/psr/cache/composer.json", Programs::extension('apcu'), Programs::extension('igbinary'), Programs::extension('redis'),
            $name === 'symfony' ? "$vendor/symfony/framework-bundle" : '/usr/share/php/Illuminate/Foundation/Application.php'],
        'pages' => array_map(fn(int $page): string => "/page/$page", range(1, 12)),
        'normal' => fn(string $text): string => $text,
        'tail' => 30,
        'site' => function (string $folder, string $cache, array $settings, string $redis) use ($name, $project, $vendor): Web {
            $app = "$folder/app-$cache";
            Web::copy(__DIR__ . "/$name", $app);
            copy(__DIR__ . '/Catalogue.php', "$app/Catalogue.php");
            copy("$project/packages/php/tests/polyfill.php", "$app/polyfill.php");
            is_dir("$folder/package") || Web::copy("$project/packages/php/src", "$folder/package"); // copies, because the user of the workers may not read the originals
            is_dir("$folder/vendor") || exec('cd ' . escapeshellarg($vendor) . ' && mkdir ' . escapeshellarg("$folder/vendor") . ' && tar c --exclude="*.phar" . | tar x -C ' . escapeshellarg("$folder/vendor") . ' && chmod -R a+rX ' . escapeshellarg("$folder/vendor"));
            foreach (["$folder/$cache", "$folder/$cache/var"] as $place) {
                mkdir($place);
                chmod($place, 0777);
            }
            return start($folder, $cache, $app, $settings, [
                'BENCH_CACHE' => $cache, 'BENCH_VENDOR' => "$folder/vendor", 'BENCH_PACKAGE' => "$folder/package", 'BENCH_REDIS' => $redis,
                'SERVER_NAME' => 'localhost', 'SERVER_PORT' => '80', 'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '127.0.0.1', 'SCRIPT_NAME' => '/index.php',
            ]);
        },
    ];
}

/** The servers, with the extensions that applications need and PHP's opcache. */
function start(string $folder, string $cache, string $app, array $settings, array $params): Web
{
    $extensions = array_filter(['mysqlnd', 'mysqli', 'pdo', 'pdo_sqlite', 'mbstring', 'iconv', 'ctype', 'intl', 'tokenizer', 'xml', 'dom', 'simplexml', 'xmlreader', 'xmlwriter', 'fileinfo', 'posix', 'calendar'], fn(string $e): bool => is_file(Programs::extension($e)));
    $web = new Web("$folder/$cache", $app, [
        'zend_extension=opcache', 'opcache.enable=1', 'opcache.memory_consumption=128', 'opcache.interned_strings_buffer=16', 'opcache.max_accelerated_files=20000', 'opcache.validate_timestamps=0',
        ...array_map(fn(string $e): string => "extension=$e", $extensions), 'memory_limit=256M', 'display_errors=0', 'log_errors=1', "error_log=$folder/$cache/php.log", ...$settings,
    ], $params, Folder::freePort(), null, null, WORKERS);
    $web->start();
    return $web;
}

const APPLICATIONS = [
    'symfony' => 'symfony',
    'laravel' => 'laravel',
];

function symfony(string $project): array
{
    return framework('symfony', $project);
}

function laravel(string $project): array
{
    return framework('laravel', $project);
}
