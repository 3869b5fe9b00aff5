--TEST--
larder: ops: what no pool answers, and what its scripts say, is one line that commands no terminal; an ended request says why
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
$socket = ops_folder() . '/socket';
$record = fn (int $type, string $content) => pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
$answer = fn (string $out) => $record(6, $out) . $record(3, str_repeat("\0", 8));
$of = fn (mixed $value) => $answer("X: y\r\n\r\nlarder-answer\n" . base64_encode(serialize($value)));
foreach ([
    'nothing' => '', 'another protocol' => "HTTP/1.1 400 Bad Request\r\n\r\n", 'no text' => $answer(''),
    'a status' => $answer("Status: 500 \e[31mno\r\n\r\n\e]0;title\x07 a \\ b\n"), 'a page' => $answer("X: y\r\n\r\n<b>Hello \e[31m</b>\nmore"),
    'no answer' => $of([1]), 'a number' => $of(['answer' => 5]), 'a list' => $of(['failure' => []]), 'a text' => $of(['failure' => "\e[2Jgone", 'code' => 7]),
] as $name => $bytes) {
    $server = stream_socket_server("unix://$socket");
    if (($child = pcntl_fork()) === 0) {
        $client = stream_socket_accept($server, 60);
        fread($client, 65536);
        fwrite($client, $bytes);
        fclose($client);
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($server);
    echo "-- $name\n", strtr(ops_larder('ping', '--fpm', $socket, '--fpm-file', '/larder.php'), [$socket => 'SOCKET']);
    pcntl_waitpid($child, $status);
    unlink($socket);
}

$fpm = fpm(['www' => ['request_terminate_timeout' => '60s']]);
$program = $fpm->folder . '/www/larder.php';
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . ' ' . escapeshellarg($program));
foreach (['ini_set("memory_limit", "8M"); str_repeat("x", 100000000);', 'trigger_error("stop \e[31m\nhere", E_USER_ERROR);', 'exit;', 'throw new Exception("red \e[31m\nx");', 'echo $none; exit;'] as $code) {
    echo "-- $code\n", preg_replace('~ in /\S+~', '', ops_larder('warm', $fpm->script($code), '--fpm', $fpm->socket('www'), '--fpm-file', $program));
}
--EXPECTF--
-- nothing
larder: SOCKET closed the connection without an answer: the worker died or was ended, as its log says, or it is no php-fpm
exit code 1
-- another protocol
larder: SOCKET closed the connection without an answer: the worker died or was ended, as its log says, or it is no php-fpm
exit code 1
-- no text
larder: SOCKET gave no answer
exit code 1
-- a status
larder: SOCKET answers "500 \x1b[31mno": \x1b]0;title\x07 a \ b
exit code 1
-- a page
larder: the pool did not run /larder.php: Hello \x1b[31m; give a copy that it may read with --fpm-file
exit code 1
-- no answer
larder: the pool did not run /larder.php: larder-answer; give a copy that it may read with --fpm-file
exit code 1
-- a number
larder: the pool did not run /larder.php: larder-answer; give a copy that it may read with --fpm-file
exit code 1
-- a list
larder: the pool did not run /larder.php: larder-answer; give a copy that it may read with --fpm-file
exit code 1
-- a text
larder: \x1b[2Jgone
exit code 1
-- ini_set("memory_limit", "8M"); str_repeat("x", 100000000);
larder: the request was ended: Allowed memory size of %d bytes exhausted%s
exit code 1
-- trigger_error("stop \e[31m\nhere", E_USER_ERROR);
larder: the request was ended: stop \x1b[31m
exit code 1
-- exit;
larder: the request was ended: does the file call exit()?
exit code 1
-- throw new Exception("red \e[31m\nx");
larder: Exception: red \x1b[31m\x0ax
exit code 1
-- echo $none; exit;
larder: the request was ended: does the file call exit()?
exit code 1
