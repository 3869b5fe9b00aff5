--TEST--
larder: session: fpm: the progress of an upload is in the session, also of a worker's first request, and of its pool only
--EXTENSIONS--
larder
session
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
$fpm = fpm(['one' => [], 'two' => []], [
    'session.save_handler' => 'larder', 'session.use_strict_mode' => 0, 'session.cache_limiter' => '', 'session.upload_progress.enabled' => 1,
    'session.upload_progress.cleanup' => 0, 'session.upload_progress.min_freq' => 0,
]);

/* PHP reads an upload, and puts its progress into the session, before the request begins for extensions. */
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
echo $fpm->log('one'), $fpm->log('two');
--EXPECT--
-- one
upload_progress_a done
-- two
upload_progress_b done
-- one
upload_progress_a done
upload_progress_c done
