--TEST--
larder: fpm: a worker whose first request comes when FPM has told it to end works without a store, and says why
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
$fpm = fpm(['www' => []]);
[$worker] = $fpm->workers('www');
$pair = fn (string $name, string $value): string => pack('NN', strlen($name) | 1 << 31, strlen($value) | 1 << 31) . $name . $value;
$record = fn (int $type, string $data): string => pack('CCnnCx', 1, $type, 1, strlen($data), 0) . $data;
$parameters = '';
foreach (['SCRIPT_FILENAME' => $fpm->script('var_dump(V::set("k", 1), V::info()->failure_reason);'), 'REQUEST_METHOD' => 'GET', 'QUERY_STRING' => '', 'SERVER_PROTOCOL' => 'HTTP/1.1'] as $name => $value) {
    $parameters .= $pair($name, $value);
}
/* The worker accepts the connection, and waits for the rest of the request. */
$sockets = fn (): array => preg_grep('/^socket:/', array_map(fn ($path) => (string) @readlink($path), glob("/proc/$worker/fd/*")));
$before = $sockets();
$client = stream_socket_client('unix://' . $fpm->socket('www'));
fwrite($client, $record(1, "\0\1\0\0\0\0\0\0"));
fpm_wait(fn () => array_diff($sockets(), $before) !== []) || print("not accepted\n");
posix_kill($worker, SIGQUIT);
fpm_wait(fn () => array_diff($before, $sockets()) !== []) || print("not closed\n");
fwrite($client, $record(4, $parameters) . $record(4, '') . $record(5, ''));
stream_set_timeout($client, 90);
preg_match('/^bool.*$\n^string.*$/m', (string) stream_get_contents($client), $answer);
fclose($client);
echo $answer[0] ?? 'no answer', "\n", $fpm->said('www'), "\n";
/* The next worker can use the store. */
echo $fpm->run('www', 'var_dump(V::set("k", 1), V::info()->failure_reason);');
?>
--EXPECT--
bool(false)
string(105) "the pool of this worker cannot be told: it has no listening socket; FPM closes it when it reloads or ends"
Larder is off in this worker: the pool of this worker cannot be told: it has no listening socket; FPM closes it when it reloads or ends
bool(true)
NULL
