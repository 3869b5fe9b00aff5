--TEST--
larder: lifetime: resources that outlive requests, made from fetched strings
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
require __DIR__ . '/places.inc';

/* Start a server that answers every line with its length. */
$folder = sys_get_temp_dir() . '/larder-sockets-' . getmypid();
mkdir($folder);
$socket = "$folder/" . str_repeat('s', 60);
$listeners = [stream_socket_server('tcp://127.0.0.1:0'), stream_socket_server("unix://$socket")];
$address = stream_socket_get_name($listeners[0], false);
if (($child = pcntl_fork()) === 0) {
    pcntl_alarm(1000);
    for ($clients = [];;) {
        $ready = [...$listeners, ...$clients]; $none = [];
        stream_select($ready, $none, $none, null);
        foreach ($ready as $stream) {
            if (in_array($stream, $listeners, true)) { $clients[] = stream_socket_accept($stream); continue; }
            $line = fgets($stream);
            if ($line === false || $line === '') { unset($clients[array_search($stream, $clients, true)]); fclose($stream); continue; }
            fwrite($stream, strlen($line) . "\n");
        }
    }
}
$me = getmypid();
register_shutdown_function(function () use ($child, $folder, $me, $socket) { if (getmypid() !== $me) return; posix_kill($child, SIGKILL); pcntl_waitpid($child, $status); unlink($socket); rmdir($folder); });

$port = (int) substr(strrchr($address, ':'), 1);
$values = ['host' => '127.0.0.1', 'port' => $port, 'tcp' => "tcp://$address", 'unix' => "unix://$socket", 'named' => "tcp://$address/" . str_repeat('n', 100), 'line' => str_repeat('line', 40) . "\n", 'filter' => 'convert.quoted-printable-encode', 'filters' => ['line-length' => '60', 'line-break-chars' => str_repeat("\t", 40)], 'context' => ['socket' => ['bindto' => '127.0.0.1:0', 'tcp_nodelay' => true], 'ssl' => ['peer_name' => str_repeat('p', 100)]], 'bad' => 'tcp://' . str_repeat('b', 200)];
$values['iv'] = $values['filters'] + ['x' => str_repeat('x', 100)];
$use = 'fwrite($h, $v["line"]); echo get_resource_type($h), fgets($h), strlen(stream_get_meta_data($h)["stream_type"]), is_resource($h);';
places($values, [
    'pfsockopen()' => '$h = pfsockopen($v["host"], $v["port"]);' . $use,
    'pfsockopen() of a scheme' => '$h = pfsockopen("tcp://" . $v["host"], $v["port"]);' . $use,
    'pfsockopen() of a path' => '$h = pfsockopen($v["unix"], -1);' . $use,
    'stream_socket_client()' => '$h = stream_socket_client($v["tcp"], $no, $text, 5, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT);' . $use,
    'stream_socket_client() of a path' => '$h = stream_socket_client($v["unix"], $no, $text, 5, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT);' . $use,
    'two names' => 'foreach (["named", "named"] as $name) { $h = stream_socket_client($v[$name], $no, $text, 5, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT);' . $use . '}',
    'with a context' => '$h = stream_socket_client($v["tcp"], $no, $text, 5, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT, stream_context_create($v["context"]));' . $use,
    'closed' => '$h = pfsockopen($v["host"], $v["port"]);' . $use . 'fclose($h); $h = pfsockopen($v["host"], $v["port"]);' . $use,
    'closed by path' => '$h = stream_socket_client($v["unix"], $no, $text, 5, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT);' . $use . 'fclose($h);',
    'with a filter' => '$h = pfsockopen("tcp://" . $v["host"], $v["port"]); $f = stream_filter_append($h, $v["filter"], STREAM_FILTER_WRITE, $v["filters"]); fwrite($h, $v["line"]); stream_filter_remove($f); fwrite($h, "\n"); echo fgets($h); $f = stream_filter_append($h, "string.toupper", STREAM_FILTER_WRITE);' . $use . 'stream_filter_remove($f);',
    'with a filter that stays' => '$h = pfsockopen($v["unix"], -1); $f = stream_filter_append($h, "string.toupper", STREAM_FILTER_WRITE);' . $use,
    'no such host' => 'echo @stream_socket_client($v["bad"], $no, $text, 1, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT) === false ? "refused" : "connected";',
], 'default_socket_timeout=2');
--EXPECT--
all fine
