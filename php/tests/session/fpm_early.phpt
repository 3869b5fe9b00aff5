--TEST--
larder: session: fpm: what opens a session before the request begins has its pool's, also in a worker's first request: auto_start, the progress of an upload
--EXTENSIONS--
larder
session
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
$fpm = fpm(['one' => [], 'two' => [], 'auto' => ['php_admin_value[session.auto_start]' => 1]], [
    'session.save_handler' => 'larder', 'session.use_strict_mode' => 0, 'session.cache_limiter' => '', 'session.upload_progress.enabled' => 1,
    'session.upload_progress.cleanup' => 0, 'session.upload_progress.min_freq' => 0,
]);

/* PHP stores the progress of an upload in the session while it reads the request, before it tells extensions that a request begins. */
$upload = function (string $pool, string $name) use ($fpm): string {
    $parts = "--part\r\nContent-Disposition: form-data; name=\"PHP_SESSION_UPLOAD_PROGRESS\"\r\n\r\n$name\r\n"
        . "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file.txt\"\r\n\r\n" . str_repeat('x', 50000) . "\r\n--part--\r\n";
    file_put_contents("{$fpm->folder}/www/upload", $parts);
    $variables = [
        'SCRIPT_FILENAME' => $fpm->script('session_start(); foreach ($_SESSION as $name => $upload) echo $name, " ", $upload["done"] ? "done" : "not done", "\n";'),
        'REQUEST_METHOD' => 'POST', 'CONTENT_TYPE' => 'multipart/form-data; boundary=part', 'CONTENT_LENGTH' => strlen($parts),
        'HTTP_COOKIE' => 'PHPSESSID=visitor', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'GATEWAY_INTERFACE' => 'CGI/1.1', 'PATH' => getenv('PATH'),
    ];
    $client = proc_open(['cgi-fcgi', '-bind', '-connect', $fpm->socket($pool)], [['file', "{$fpm->folder}/www/upload", 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes, null, $variables);
    $answer = stream_get_contents($pipes[1]);
    proc_close($client);
    return substr((string) strstr($answer, "\r\n\r\n"), 4);
};
echo "-- one\n", $upload('one', 'a');
echo "-- two\n", $upload('two', 'b');
echo "-- one\n", $upload('one', 'c');
echo "-- auto_start\n";
for ($i = 0; $i < 2; $i++) {
    echo $fpm->run('auto', '$_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; echo $_SESSION["n"], "\n";', ['HTTP_COOKIE' => 'PHPSESSID=visitor']);
}
echo $fpm->log('one'), $fpm->log('two'), $fpm->log('auto');
--EXPECT--
-- one
upload_progress_a done
-- two
upload_progress_b done
-- one
upload_progress_a done
upload_progress_c done
-- auto_start
1
2
