<?php

/* Tests Debian's MediaWiki under nginx and php-fpm, on SQLite, while pages are edited. Its pages must be the same without a cache, with
 * LarderBagOStuff, and with MediaWiki's cache for APCu on Larder's APCu functions. Says "skipped" and succeeds where MediaWiki or a
 * server is missing.
 *
 *   php packages/php/tests/MediaWiki/run.php */

declare(strict_types=1);

use Servers\Child;
use Servers\Folder;
use Servers\Programs;
use Servers\Web;

$project = dirname(__DIR__, 4);
require "$project/tools/servers/autoload.php";
require __DIR__ . '/normal.php';

/** For each kind of cache: a line of php.ini, and the setting in LocalSettings.php. */
const KINDS = [
    'larder' => ['', "\$wgObjectCaches['larder'] = ['class' => Larder\\MediaWiki\\LarderBagOStuff::class];\n\$kind = 'larder';\n\$wgLocalisationCacheConf['storeClass'] = Larder\\MediaWiki\\LarderLCStore::class;\n"],
    'apcu' => ['larder.compat=apcu', "\$kind = CACHE_ACCEL;\n"],
];
const CACHES = "\$wgMainCacheType = \$wgParserCacheType = \$wgMessageCacheType = \$wgSessionCacheType = \$kind;\n";

function wiki(string $folder, string $name, string $ini, string $settings, string $project): Web
{
    $module = getenv('LARDER_MODULE') ?: "$project/php/modules/larder.so";
    mkdir("$folder/$name");
    chmod("$folder/$name", 0777);
    file_put_contents("$folder/$name.php", file_get_contents("$folder/LocalSettings.php") . $settings);
    $extensions = array_filter(['mbstring', 'ctype', 'iconv', 'dom', 'xml', 'xmlreader', 'fileinfo', 'intl', 'pdo', 'pdo_sqlite', 'sqlite3', 'tokenizer', 'posix', 'calendar'], fn($e) => is_file(Programs::extension($e)));
    $web = new Web("$folder/$name", __DIR__ . '/app', ['zend_extension=opcache', "extension=$module", $ini, ...array_map(fn($e) => "extension=$e", $extensions), 'memory_limit=256M', 'log_errors=1', 'display_errors=0', "error_log=$folder/$name/php.log"], [
        'LARDER_WIKI' => "$folder/$name.php", 'SERVER_NAME' => 'mw.test', 'SERVER_PORT' => '80', 'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '127.0.0.1', 'CONTENT_TYPE' => '$content_type', 'CONTENT_LENGTH' => '$content_length',
    ], Folder::freePort());
    $web->start();
    return $web;
}

function page(Web $web, string $path): string
{
    [$status, $text] = $web->ask($path);
    return "$status " . normal($text);
}

foreach (['/usr/share/mediawiki/index.php', '/usr/sbin/nginx', Programs::extension('pdo_sqlite'), Programs::extension('intl')] as $file) {
    is_file($file) || exit("mediawiki: skipped: $file is missing (Debian: mediawiki nginx php-sqlite3 php-intl)\n");
}
$failed = $passed = 0;
$module = getenv('LARDER_MODULE') ?: "$project/php/modules/larder.so";
$operations = __DIR__ . '/operations.php';
$outputs = ['in a script' => (string) shell_exec('php -d ' . escapeshellarg("extension=$module") . ' ' . escapeshellarg($operations) . ' 2>&1')];
$port = Folder::freePort();
$server = Child::start(['php', '-d', "extension=$module", '-q', '-S', "127.0.0.1:$port", $operations], fopen('/dev/null', 'a'));
$server->accepts("tcp://127.0.0.1:$port", 'PHP');
$outputs['in a web server'] = (string) @file_get_contents("http://127.0.0.1:$port/");
$server->stop();
foreach ($outputs as $where => $output) {
    if ($output === "done\n") {
        $passed++;
    } else {
        $failed++;
        echo "FAIL: operations $where:\n$output\n";
    }
}
foreach (KINDS as $kind => [$ini, $settings]) {
    $folder = Folder::make('larder-mediawiki');
    $sites = [];
    try {
        mkdir("$folder/data");
        $run = function (string ...$arguments) use ($folder): string {
            $command = 'cd /usr/share/mediawiki && php ' . implode(' ', array_map('escapeshellarg', $arguments)) . ' 2>&1';
            exec($command, $output, $status);
            $status === 0 || throw new RuntimeException("$command:\n" . implode("\n", $output));
            exec('chmod -R a+rwX ' . escapeshellarg("$folder/data"));
            return implode("\n", $output);
        };
        $run('maintenance/install.php', '--dbtype=sqlite', "--dbpath=$folder/data", '--dbname=wiki', "--confpath=$folder", '--scriptpath=', '--server=http://mw.test', '--pass=a long pass word', 'Wiki', 'Admin');
        $edit = function (string $title, string $text) use (&$sites): void { // edits a page on the site with the cache
            $body = http_build_query(['action' => 'edit', 'format' => 'json', 'title' => $title, 'text' => $text, 'token' => '+\\']);
            $answer = file_get_contents($sites['cache']->url . '/api.php', false, stream_context_create(['http' => ['method' => 'POST', 'header' => 'Content-Type: application/x-www-form-urlencoded', 'content' => $body, 'ignore_errors' => true]]));
            str_contains((string) $answer, '"result":"Success"') || throw new RuntimeException("editing $title: $answer");
        };
        $package = "$folder/package";
        Web::copy(dirname(__DIR__, 2) . '/src', $package);
        $common = "\nerror_reporting(0);\n\$wgJobRunRate = 50;\n\$wgRunJobsAsync = false;\n\$wgShowExceptionDetails = true;\n\$wgUseFileCache = false;\n\$wgCacheDirectory = false;\n\$wgRateLimits = [];\n"
            . "spl_autoload_register(function (\$class) { is_file(\$file = '$package' . strtr(substr(\$class, 6), '\\\\', '/') . '.php') && require \$file; });\n";
        $sites['none'] = wiki($folder, 'none', '', "$common\$kind = CACHE_NONE;\n" . CACHES, $project);
        $sites['cache'] = wiki($folder, 'cache', $ini, $common . $settings . CACHES, $project);
        foreach (['first', 'after an edit'] as $when) {
            foreach (['Template:Template' => "''of $when''", 'Other' => "== A ==\n$when {{PAGENAME}} {{Template}}", 'Main_Page' => "Hello '''$when''' [[Other]]"] as $title => $text) {
                $edit($title, $text);
                sleep(1); // MediaWiki's timestamps count whole seconds
            }
            for ($i = 0; $i < 5; $i++) { // each request ends with some of the waiting jobs, which purge pages
                page($sites['cache'], '/index.php?title=Special:Version');
            }
            foreach (['/index.php?title=Main_Page', '/index.php?title=Other', '/index.php?title=Special:AllPages', '/index.php?title=Other&action=history', '/index.php?title=Special:Version', '/api.php?action=query&list=allpages&format=json', '/index.php?title=None'] as $path) {
                $expected = page($sites['none'], $path);
                foreach (['cold', 'warm'] as $state) {
                    $actual = page($sites['cache'], $path);
                    if ($actual === $expected && strlen($expected) > 60) {
                        $passed++;
                        continue;
                    }
                    $failed++;
                    $at = max(0, strspn($expected ^ $actual, "\0") - 60);
                    echo "FAIL: $kind, $when: $path, $state\n  expected: ", json_encode(substr($expected, $at, 200)), "\n  actual:   ", json_encode(substr($actual, $at, 200)), "\n";
                }
            }
        }
    } finally {
        array_map(fn(Web $web) => $web->stop(), $sites);
        getenv('LARDER_KEEP') ? print("kept: $folder\n") : Folder::remove($folder);
    }
}
echo "$passed passed, $failed failed\n";
exit($failed ? 1 : 0);
