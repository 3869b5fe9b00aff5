<?php

/* mediawiki.php - a real application that reads files. Debian's MediaWiki, behind nginx and php-fpm with SQLite, reads scripts and styles
 * (load.php) by file_get_contents(). Measures the same pages with and without larder.file_cache, in interleaved rounds. The main cache is
 * always Larder.
 *   php bench/files/mediawiki.php [--rounds=N] [--requests=N] */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

use Servers\Folder;
use Servers\Programs;
use Servers\Web;

$project = dirname(__DIR__, 2);
require "$project/tools/servers/autoload.php";

const PAGES = [
    'scripts and styles of the visual parts' => '/load.php?lang=en&modules=oojs-ui%7Coojs-ui-widgets%7Coojs-ui-windows%7Cjquery.ui%7Cmediawiki.api%7Cmediawiki.util%7Cmediawiki.Title&skin=vector',
    'jQuery and the base' => '/load.php?lang=en&modules=jquery%7Cmediawiki.base&only=scripts&skin=vector&raw=1',
];

$options = getopt('', ['rounds:', 'requests:']);
$rounds = (int) ($options['rounds'] ?? 7);
$requests = (int) ($options['requests'] ?? 60);
foreach (['/usr/share/mediawiki/index.php', '/usr/sbin/nginx', Programs::extension('pdo_sqlite'), Programs::extension('intl')] as $file) {
    is_file($file) || exit("mediawiki: skipped: $file is missing (Debian: mediawiki nginx php-sqlite3 php-intl)\n");
}
$folder = Folder::make('larder-bench-mediawiki');
$sites = [];
register_shutdown_function(function () use (&$sites, $folder): void {
    array_map(fn(Web $web) => $web->stop(), $sites);
    Folder::remove($folder);
});
mkdir("$folder/data");
$install = ['php', 'maintenance/install.php', '--dbtype=sqlite', "--dbpath=$folder/data", '--dbname=wiki', "--confpath=$folder", '--scriptpath=', '--server=http://mw.test', '--pass=a long pass word', 'Wiki', 'Admin'];
exec('cd /usr/share/mediawiki && ' . implode(' ', array_map(escapeshellarg(...), $install)) . ' 2>&1', $output, $status);
$status === 0 || fail(implode("\n", $output) . "\n");
exec('chmod -R a+rwX ' . escapeshellarg("$folder/data"));
Web::copy("$project/packages/php/src", "$folder/package");
$settings = file_get_contents("$folder/LocalSettings.php") . <<<PHP

    error_reporting(0);
    \$wgJobRunRate = 0;
    \$wgUseFileCache = \$wgCacheDirectory = false;
    spl_autoload_register(function (\$class) { is_file(\$file = '$folder/package' . strtr(substr(\$class, 6), '\\\\', '/') . '.php') && require \$file; });
    \$wgObjectCaches['larder'] = ['class' => Larder\MediaWiki\LarderBagOStuff::class];
    \$wgMainCacheType = \$wgParserCacheType = \$wgMessageCacheType = \$wgSessionCacheType = 'larder';

    PHP;
file_put_contents("$folder/settings.php", $settings);
$extensions = array_filter(['mbstring', 'ctype', 'iconv', 'dom', 'xml', 'xmlreader', 'fileinfo', 'intl', 'pdo', 'pdo_sqlite', 'sqlite3', 'tokenizer', 'posix', 'calendar'], fn($name) => is_file(Programs::extension($name)));
foreach (['without' => 0, 'with' => 1] as $name => $on) {
    mkdir("$folder/$name");
    chmod("$folder/$name", 0777);
    $ini = ['zend_extension=opcache', 'opcache.interned_strings_buffer=32', 'opcache.memory_consumption=256', "extension=$project/php/modules/larder.so", "larder.file_cache=$on", ...array_map(fn($e) => "extension=$e", $extensions), 'memory_limit=256M', 'display_errors=0'];
    $sites[$name] = new Web("$folder/$name", "$project/packages/php/tests/MediaWiki/app", $ini, ['LARDER_WIKI' => "$folder/settings.php", 'SERVER_NAME' => 'mw.test', 'SERVER_PORT' => '80', 'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '127.0.0.1'], Folder::freePort());
    $sites[$name]->start();
}
$plain = fn(array $answer): string => "$answer[0] $answer[1]";
foreach (PAGES as $title => $path) {
    $samples = ['without' => [], 'with' => []];
    $expected = null;
    foreach ($sites as $web) {
        for ($i = 0; $i < 20; $i++) {
            $web->ask($path); // each worker warms up
        }
        $text = $plain($web->ask($path));
        strlen($text) > 3000 && str_starts_with($text, '200') || fail("$title: " . substr($text, 0, 500) . "\n");
    }
    $expected = array_map(fn(Web $web): string => $plain($web->ask($path)), $sites);
    $expected['with'] === $expected['without'] || fail("$title: the answers differ\n");
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($round % 2 ? array_reverse($sites) : $sites as $name => $web) {
            $before = $web->settledCpu();
            for ($i = 0; $i < $requests; $i++) {
                $plain($web->ask($path)) === $expected[$name] || fail("$title, $name: a wrong answer\n");
            }
            $samples[$name][] = ($web->settledCpu() - $before) / $requests * 1e6;
        }
    }
    $ratios = array_map(fn(float $without, float $with): float => $without / $with, $samples['without'], $samples['with']);
    sort($samples['without']);
    sort($samples['with']);
    sort($ratios);
    printf("%-42s %8.0f us of CPU a request without, %8.0f with: %.3fx\n", $title, $samples['without'][intdiv($rounds, 2)], $samples['with'][intdiv($rounds, 2)], $ratios[intdiv($rounds, 2)]);
}
