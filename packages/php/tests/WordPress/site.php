<?php

declare(strict_types=1);

/* Starts Debian's WordPress, for run.php and for bench/apps: a new MariaDB server, and several sites that share its database. */

use Servers\Child;
use Servers\Folder;
use Servers\Programs;
use Servers\Web;

const HOST = 'wp.test';

/** Returns a page without the parts that differ in each request. */
function page(?array $answer): string
{
    if ($answer === null || $answer[0] !== 200) {
        return 'status ' . ($answer[0] ?? 'none') . ': ' . substr($answer[1] ?? '', 0, 200);
    }
    // Each request makes a new draft.
    $drafted = str_contains($answer[1], 'id="quick-press"') || str_contains($answer[1], "name='auto_draft'");
    $clock = str_contains($answer[1], 'id="utc-time"'); // the page shows the time
    return preg_replace([
        '/(?:_wpnonce=|nonce":"|nonce" value="|nonce=)\w+/i', // must be first: a nonce of digits looks like a time
        '/\b\d{10}(?:\.\d+)?\b/', '#\b\d\.gravatar#', '/overdue by [\w ]+\./', '#/tmp/larder-wordpress-\w+/\w+#', '/data-pw="[^"]*"/', '/mailto:[^"]*">[^<]*/', '/name="pagegen_timestamp" value="[^"]*"/', '/' . ($drafted ? '\d+|nonce\S*' : '(?!)') . '/',
        '/' . ($clock ? '(?<=>)[\d-]* ?\d{1,2}:\d\d(?::\d\d)?(?: [ap]m)?(?=<)' : '(?!)') . '/i',
    ], '~', $answer[1]);
}

function start_database(string $folder): Child
{
    $data = "$folder/db";
    $user = posix_geteuid() === 0 ? ['--user=root'] : [];
    $log = fopen("$folder/db.log", 'a');
    $install = [Programs::path('mariadb-install-db'), '--no-defaults', "--datadir=$data", '--auth-root-authentication-method=normal', '--skip-test-db', ...$user];
    $process = proc_open($install, [['file', '/dev/null', 'r'], $log, $log], $pipes);
    proc_close($process) === 0 || throw new RuntimeException('mariadb-install-db failed: ' . file_get_contents("$folder/db.log"));
    $server = Child::start([Programs::path('mariadbd'), '--no-defaults', "--datadir=$data", "--socket=$folder/db.sock", '--skip-networking', "--pid-file=$folder/db.pid", '--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M', ...$user], $log);
    for ($i = 0; $i < 600 && !file_exists("$folder/db.sock") && $server->running(); $i++) {
        usleep(100000);
    }
    chmod("$folder/db.sock", 0777);
    $sql = "CREATE DATABASE wp; CREATE USER wp@localhost IDENTIFIED BY 'wp'; GRANT ALL ON wp.* TO wp@localhost;";
    exec('mariadb --no-defaults -u root --socket=' . escapeshellarg("$folder/db.sock") . ' -e ' . escapeshellarg($sql) . ' 2>&1', $output, $status);
    $status === 0 || throw new RuntimeException('the database did not start: ' . implode("\n", $output) . file_get_contents("$folder/db.log"));
    return $server;
}

/**
 * @param array<string, string> $params further variables for $_SERVER
 * @param list<string> $beside files that the drop-in loads
 */
function start_site(string $folder, string $name, ?string $dropin, array $ini, array $params = [], int $workers = Web::WORKERS, array $beside = []): Web
{
    $app = "$folder/app-$name";
    exec('cp -r ' . escapeshellarg(__DIR__ . '/app') . ' ' . escapeshellarg($app));
    exec('cp -rL /usr/share/wordpress ' . escapeshellarg("$app/wp") . ' 2>&1');
    @mkdir("$app/wp/wp-content/uploads", 0777, true);
    rename("$app/wp-config.php", "$app/wp/wp-config.php");
    $dropin === null || copy($dropin, "$app/wp/wp-content/object-cache.php");
    foreach ($beside as $file) {
        copy($file, "$app/wp/wp-content/" . basename($file));
    }
    @mkdir("$folder/$name");
    chmod("$folder/$name", 0777);
    $extensions = array_filter(['mysqlnd', 'mysqli', 'mbstring', 'iconv', 'ctype', 'tokenizer', 'xml', 'dom', 'simplexml', 'xmlreader', 'xmlwriter', 'fileinfo', 'gd', 'posix', 'exif'], fn($e) => is_file(Programs::extension($e)));
    $web = new Web("$folder/$name", $app, [
        'zend_extension=opcache', 'opcache.enable=1', 'opcache.memory_consumption=128', 'opcache.interned_strings_buffer=16', 'opcache.max_accelerated_files=8000', 'opcache.validate_timestamps=0', 'opcache.file_update_protection=0',
        ...array_map(fn($e) => "extension=$e", $extensions), 'memory_limit=256M', 'display_errors=0', 'log_errors=1', "error_log=$folder/$name/php.log", ...$ini,
    ], [
        'CONTENT_TYPE' => '$content_type', 'CONTENT_LENGTH' => '$content_length', 'SERVER_PROTOCOL' => '$server_protocol', 'REMOTE_ADDR' => '127.0.0.1',
        'SERVER_NAME' => HOST, 'SERVER_PORT' => '80', 'SERVER_SOFTWARE' => 'nginx', 'LARDER_WORDPRESS' => $folder, ...$params,
    ], Folder::freePort(), null, null, $workers);
    $web->start();
    return $web;
}
