<?php

/* applications.php - the table of applications for run.php. An application is an array:
 *
 *   needs    files that must exist, otherwise the application is skipped
 *   site     a function that starts the application's servers with one of the caches
 *   pages    the paths that are requested
 *   normal   a function that removes the parts of a page that differ from request to request
 *   tail     number of bytes at the end of a page that never differ
 *   caches   optional: the caches to use instead of CACHES
 *   warm     optional: seconds of requests before the rounds
 *   before   optional: a function that runs before the servers start, for example to start the database
 *   fill     optional: a function that makes the content after the servers have started */

declare(strict_types=1);

use Servers\Folder;
use Servers\Programs;
use Servers\Puma;
use Servers\Web;

/** An application that this project wrote for a PHP framework, Symfony or Laravel. */
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
            is_dir("$folder/package") || Web::copy("$project/packages/php/src", "$folder/package"); // the workers' user may not be allowed to read the originals
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

/** Starts the web server and PHP, with opcache and the extensions that applications need. */
function start(string $folder, string $cache, string $app, array $settings, array $params): Web
{
    $extensions = array_filter(['mysqlnd', 'mysqli', 'pdo', 'pdo_sqlite', 'gd', 'mbstring', 'iconv', 'ctype', 'intl', 'tokenizer', 'xml', 'dom', 'simplexml', 'xmlreader', 'xmlwriter', 'fileinfo', 'posix', 'calendar'], fn(string $e): bool => is_file(Programs::extension($e)));
    $web = new Web("$folder/$cache", $app, [
        'zend_extension=opcache', 'opcache.enable=1', 'opcache.memory_consumption=128', 'opcache.interned_strings_buffer=16', 'opcache.max_accelerated_files=20000', 'opcache.validate_timestamps=0', 'opcache.file_update_protection=0',
        ...array_map(fn(string $e): string => "extension=$e", $extensions), 'memory_limit=256M', 'display_errors=0', 'log_errors=1', "error_log=$folder/$cache/php.log", ...$settings,
    ], $params, Folder::freePort(), null, null, WORKERS);
    $web->start();
    return $web;
}

/** Debian's MediaWiki on SQLite. The site "none" has MediaWiki's defaults: no object cache, and parsed pages in the database. */
function mediawiki(string $project): array
{
    $tests = "$project/packages/php/tests/MediaWiki";
    require_once "$tests/normal.php";
    $settings = [
        'none' => '',
        'apcu' => '$kind = CACHE_ACCEL;',
        'redis' => "\$wgObjectCaches['redis'] = ['class' => RedisBagOStuff::class, 'servers' => [\$_SERVER['BENCH_REDIS']], 'persistent' => true];\n\$kind = 'redis';",
        'larder' => "\$wgObjectCaches['larder'] = ['class' => Larder\\MediaWiki\\LarderBagOStuff::class];\n\$kind = 'larder';\n\$wgLocalisationCacheConf['storeClass'] = Larder\\MediaWiki\\LarderLCStore::class;",
    ];
    return [
        'needs' => ['/usr/share/mediawiki/index.php', '/usr/sbin/nginx', ...array_map(Programs::extension(...), ['pdo_sqlite', 'intl', 'apcu', 'igbinary', 'redis'])],
        'pages' => ['/index.php?title=Main_Page', ...array_map(fn(int $page): string => "/index.php?title=Page_$page", range(1, 8)), '/index.php?title=Special:AllPages', '/index.php?title=Page_1&action=history'],
        'normal' => normal(...),
        'tail' => strlen("</body>\n</html>"),
        'before' => function (string $folder): null {
            mkdir("$folder/data");
            exec('cd /usr/share/mediawiki && php maintenance/install.php --dbtype=sqlite ' . escapeshellarg("--dbpath=$folder/data") . ' --dbname=wiki ' . escapeshellarg("--confpath=$folder")
                . " --scriptpath= --server=http://mw.test '--pass=a long pass word' Wiki Admin 2>&1 && chmod -R a+rwX " . escapeshellarg("$folder/data"), $output, $status);
            return $status === 0 ? null : throw new RuntimeException(implode("\n", $output));
        },
        'site' => function (string $folder, string $cache, array $ini, string $redis) use ($project, $tests, $settings): Web {
            is_dir("$folder/package") || Web::copy("$project/packages/php/src", "$folder/package");
            mkdir("$folder/$cache");
            chmod("$folder/$cache", 0777);
            file_put_contents("$folder/$cache.php", file_get_contents("$folder/LocalSettings.php") . "\nerror_reporting(0);\n\$wgJobRunRate = 0;\n\$wgUseFileCache = false;\n\$wgCacheDirectory = false;\n\$wgRateLimits = [];\n"
                . "spl_autoload_register(function (\$class) { is_file(\$file = '$folder/package' . strtr(substr(\$class, 6), '\\\\', '/') . '.php') && require \$file; });\n"
                . $settings[$cache] . ($cache === 'none' ? '' : "\n\$wgMainCacheType = \$wgParserCacheType = \$wgMessageCacheType = \$wgSessionCacheType = \$kind;\n"));
            // enable APCu's functions for each site, because MediaWiki caches the files of its extensions with them
            return start($folder, $cache, "$tests/app", [...$ini, ...($cache === 'larder' ? ['larder.compat=apcu'] : [])], [
                'LARDER_WIKI' => "$folder/$cache.php", 'BENCH_REDIS' => $redis, 'SERVER_NAME' => 'mw.test', 'SERVER_PORT' => '80', 'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '127.0.0.1',
                'CONTENT_TYPE' => '$content_type', 'CONTENT_LENGTH' => '$content_length',
            ]);
        },
        'fill' => function (array $sites): void {
            $texts = ['Template:Row' => "<tr><td>'''{{{1}}}'''</td><td>[[Page {{{1}}}]]</td></tr>"];
            foreach (range(1, 8) as $page) {
                $texts["Page $page"] = "== Part one ==\n" . str_repeat("Text $page of a page with a [[Main Page|link]]. ", 40) . "\n== Part two ==\n<table>" . implode('', array_map(fn(int $row): string => "{{Row|$row}}", range(1, 20))) . "</table>\n{{PAGENAME}}";
            }
            $edit = function (string $title, string $text) use ($sites): void {
                $body = http_build_query(['action' => 'edit', 'format' => 'json', 'title' => $title, 'text' => $text, 'token' => '+\\']);
                $answer = file_get_contents($sites['none']->url . '/api.php', false, stream_context_create(['http' => ['method' => 'POST', 'header' => 'Content-Type: application/x-www-form-urlencoded', 'content' => $body, 'ignore_errors' => true]]));
                str_contains((string) $answer, '"result":"Success"') || throw new RuntimeException("editing $title: $answer");
            };
            foreach (array_keys($texts) as $title) {
                $edit($title, 'to come'); // create all pages first, so that no text links to a missing page
            }
            array_map($edit, array_keys($texts), $texts);
            sleep(2); // MediaWiki compares times in whole seconds
        },
    ];
}

/** Debian's WordPress on MariaDB, with 40 posts. Each cache is a drop-in. The site "none" has no drop-in, so it has no object cache. */
function wordpress(string $project): array
{
    $tests = "$project/packages/php/tests/WordPress";
    require_once "$tests/site.php";
    return [
        'needs' => ['/usr/share/wordpress/wp-load.php', '/usr/share/wordpress/wp-content/themes/twentytwentyone/style.css', '/usr/sbin/mariadbd', '/usr/sbin/nginx', ...array_map(Programs::extension(...), ['mysqli', 'apcu', 'igbinary', 'redis'])],
        'pages' => ['/', '/?p=10', '/?p=22', '/?page_id=2', '/?cat=3', '/?paged=2', '/?author=1', '/?m=202501', '/?tag=tag-3'],
        'normal' => fn(string $text): string => page([200, $text]),
        'tail' => strlen("</body>\n</html>\n"),
        'before' => start_database(...),
        'site' => function (string $folder, string $cache, array $ini, string $redis) use ($project, $tests): Web {
            $dropin = ['none' => null, 'apcu' => "$tests/apcu-object-cache.php", 'redis' => __DIR__ . '/wordpress/redis-object-cache.php', 'larder' => "$project/packages/php/wordpress/object-cache.php"][$cache];
            return start_site($folder, $cache, $dropin, $ini, ['HTTP_HOST' => HOST, 'BENCH_REDIS' => $redis], WORKERS, $cache === 'redis' ? ["$tests/apcu-object-cache.php", __DIR__ . '/redis-apcu.php'] : []);
        },
        'fill' => function (array $sites): void {
            $install = stream_context_create(['http' => ['method' => 'POST', 'header' => 'Content-Type: application/x-www-form-urlencoded', 'content' => http_build_query(
                ['weblog_title' => 'Test', 'user_name' => 'admin', 'admin_password' => 'pass word', 'admin_password2' => 'pass word', 'pw_weak' => '1', 'admin_email' => 'admin@example.org', 'blog_public' => '0', 'language' => ''],
            )]]);
            $answer = (string) file_get_contents($sites['none']->url . '/wp-admin/install.php?step=2', false, $install);
            str_contains($answer, 'Success!') || throw new RuntimeException('installing WordPress: ' . strip_tags($answer));
            $sites['none']->get('/do/seed') === '["41",61]' || throw new RuntimeException('filling WordPress');
            // The sites share a database. A site's first page makes WordPress write an option, which the other sites' caches do not notice.
            // So flush all caches afterwards.
            foreach (['/', '/do/flush'] as $path) {
                foreach ($sites as $web) {
                    $web->get($path);
                }
            }
        },
    ];
}

/** An application that this project wrote for Debian's Rails, under Puma. In place of APCu, Ruby has a store in each worker's memory. */
function rails(string $project): array
{
    return [
        'needs' => ['/usr/sbin/nginx', '/usr/bin/puma', "$project/build/ruby/lib/larder/larder.so", ...(glob('/usr/share/rubygems-integration/all/gems/railties-*') ?: ['railties']), ...(glob('/usr/share/rubygems-integration/all/gems/redis-*') ?: ['redis'])],
        'pages' => array_map(fn(int $page): string => "/page/$page", range(1, 12)),
        'normal' => fn(string $text): string => $text,
        'tail' => 30,
        'caches' => ['none', 'memory', 'redis', 'larder'],
        'warm' => 10, // seconds of load, because each worker must compile its views
        'site' => function (string $folder, string $cache, array $settings, string $redis) use ($project): Puma {
            mkdir("$folder/$cache");
            $puma = new Puma("$folder/$cache", __DIR__ . '/rails', [
                'BENCH_CACHE' => $cache, 'BENCH_FOLDER' => "$folder/$cache", 'BENCH_REDIS' => $redis, 'BENCH_WORKERS' => (string) WORKERS, 'RUBYLIB' => "$project/build/ruby/lib:$project/ruby/lib",
            ], Folder::freePort());
            $puma->start(WORKERS);
            return $puma;
        },
    ];
}

/** Drupal 10 or 11 with its standard profile, on SQLite. Its folder, including vendor, is build/bench/drupal or LARDER_DRUPAL. */
function drupal(string $project): array
{
    $place = getenv('LARDER_DRUPAL') ?: "$project/build/bench/drupal";
    $inner = is_dir("$place/web/core") ? '/web' : '';
    return [
        'needs' => ['/usr/sbin/nginx', "$place$inner/autoload.php", "$place$inner/core/lib/Drupal.php", ...array_map(Programs::extension(...), ['pdo_sqlite', 'gd', 'dom', 'apcu', 'igbinary', 'redis'])],
        'pages' => ['/', '/node?page=1', ...array_map(fn(int $node): string => "/node/$node", range(1, 8)), '/taxonomy/term/1', '/taxonomy/term/2', '/user/login'],
        // Random parts: form tokens, build identifiers of forms, and identifiers of views.
        'normal' => fn(string $text): string => (string) preg_replace(['/form-[\w-]{40,}/', '/js-view-dom-id-\w+/', '/"(permissionsHash|view_dom_id)":"\w+"/'], '', $text),
        'tail' => strlen("</body>\n</html>\n"),
        'before' => function (string $folder) use ($place, $inner): null {
            // Drupal writes a .htaccess into its temporary folder, so do not let it use /tmp.
            $temporary = "$folder/drupal-temporary";
            mkdir($temporary);
            chmod($temporary, 0777);
            Web::copy(__DIR__ . '/drupal', "$folder/drupal-app");
            copy(__DIR__ . '/redis-apcu.php', "$folder/drupal-app/redis-apcu.php");
            exec('cp -a ' . escapeshellarg($place) . ' ' . escapeshellarg("$folder/drupal") . " && cd $folder/drupal$inner && rm -rf sites/default/files && mkdir -p sites/default && cp core/assets/scaffold/files/default.settings.php core/assets/scaffold/files/default.services.yml sites/default/"
                . ' && rm -f sites/default/settings.php && export TMPDIR=' . escapeshellarg($temporary) . ' && php -d memory_limit=1G core/scripts/drupal install standard --site-name=Bench -n 2>&1 && php -d memory_limit=1G ' . escapeshellarg(__DIR__ . '/drupal/seed.php') . " $folder/drupal$inner 2>&1", $output, $status);
            $status === 0 || throw new RuntimeException(implode("\n", $output));
            $settings = "$folder/drupal$inner/sites/default/settings.php";
            chmod($settings, 0644);
            // All caches use Drupal's backend for APCu; "none" uses the default backend, the database. Each site has its own copy of the
            // database.
            file_put_contents($settings, "\nif (isset(\$_SERVER['BENCH_CACHE'])) {\n"
                . "  \$databases['default']['default']['database'] = '$folder/' . \$_SERVER['BENCH_CACHE'] . '/db.sqlite';\n"
                . "  if (\$_SERVER['BENCH_CACHE'] !== 'none') {\n    \$settings['cache']['default'] = 'cache.backend.apcu';\n  }\n"
                . "  \$settings['trusted_host_patterns'] = ['^drupal\.test$'];\n  \$settings['file_temp_path'] = '$temporary';\n}\n", FILE_APPEND);
            exec("chmod -R a+rX $folder/drupal && chmod -R a+rwX $folder/drupal$inner/sites");
            return null;
        },
        'site' => function (string $folder, string $cache, array $ini, string $redis) use ($inner): Web {
            mkdir("$folder/$cache");
            chmod("$folder/$cache", 0777);
            copy("$folder/drupal$inner/sites/default/files/.sqlite", "$folder/$cache/db.sqlite");
            chmod("$folder/$cache/db.sqlite", 0666);
            return start($folder, $cache, "$folder/drupal-app", [...$ini, ...($cache === 'larder' ? ['larder.compat=apcu'] : [])], [
                'BENCH_CACHE' => $cache, 'BENCH_DRUPAL' => "$folder/drupal$inner", 'BENCH_REDIS' => $redis, 'HTTP_HOST' => 'drupal.test', 'SERVER_NAME' => 'drupal.test', 'SERVER_PORT' => '80',
                'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '127.0.0.1', 'SCRIPT_NAME' => '/index.php',
            ]);
        },
    ];
}

const APPLICATIONS = [
    'symfony' => 'symfony',
    'laravel' => 'laravel',
    'drupal' => 'drupal',
    'rails' => 'rails',
    'mediawiki' => 'mediawiki',
    'wordpress' => 'wordpress',
];

function symfony(string $project): array
{
    return framework('symfony', $project);
}

function laravel(string $project): array
{
    return framework('laravel', $project);
}
