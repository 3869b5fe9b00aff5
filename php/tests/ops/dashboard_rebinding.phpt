--TEST--
larder: ops: the dashboard in PHP's built-in server answers no browser that reached it by the name of another site
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$folder = ops_folder();
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . " $folder/larder.php");
putenv('LARDER_DASHBOARD=write');
$serve = server("require '$folder/larder.php';");
$address = (new ReflectionFunction($serve))->getStaticVariables()['address'];
$port = strrchr($address, ':');
$get = function (string $path, ?string $host) use ($address): string {
    $connection = stream_socket_client("tcp://$address");
    fwrite($connection, "GET $path HTTP/1.0\r\n" . ($host !== null ? "Host: $host\r\n" : '') . "\r\n");
    $answer = stream_get_contents($connection);
    return substr($answer, 9, 3) . (str_starts_with(substr($answer, 9), '403') ? ' ' . trim(strstr($answer, "\r\n\r\n")) : '') . "\n";
};
foreach (["127.0.0.1$port", "localhost$port", 'localhost', 'LOCALHOST', "app.localhost$port", "[::1]$port", '10.0.0.1', gethostname(), null] as $host) {
    echo $get('/?api=stats', $host);
}
foreach (["evil.example$port", 'evil.example', "127.0.0.1.evil.example$port", 'localhost.evil.example', "\e[2J"] as $host) {
    echo str_replace($port, ':PORT', $get('/?api=stats', $host));
}
foreach (['/', '/?metrics', '/?api=get&id=YQ=='] as $path) {
    echo substr($get($path, 'evil.example'), 0, 3), "\n";
}
?>
--EXPECT--
200
200
200
200
200
200
200
200
200
403 This server is not called "evil.example:PORT": use localhost or its address.
403 This server is not called "evil.example": use localhost or its address.
403 This server is not called "127.0.0.1.evil.example:PORT": use localhost or its address.
403 This server is not called "localhost.evil.example": use localhost or its address.
403 This server is not called "\x1b[2J": use localhost or its address.
403
403
403
