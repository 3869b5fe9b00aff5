<?php
/* A FastCGI client for load tests. It opens a connection for each request, like a web server without keepalive. */

/* Runs a script through FastCGI and returns the body of the answer. Returns null if the worker died or no server listens, and false if no
 * answer arrived in time. */
function fastcgi(string $socket, string $script, string $query = '', int $seconds = 120): string|null|false
{
    $pair = fn (string $name, string $value): string => pack('NN', strlen($name) | 1 << 31, strlen($value) | 1 << 31) . $name . $value;
    $record = fn (int $type, string $data): string => pack('CCnnCx', 1, $type, 1, strlen($data), 0) . $data;
    $parameters = '';
    foreach (['SCRIPT_FILENAME' => $script, 'REQUEST_METHOD' => 'GET', 'QUERY_STRING' => $query, 'SERVER_PROTOCOL' => 'HTTP/1.1'] as $name => $value) {
        $parameters .= $pair($name, $value);
    }
    $stream = @stream_socket_client("unix://$socket", $no, $text, $seconds);
    if (!$stream) {
        return null;
    }
    stream_set_timeout($stream, $seconds);
    if (@fwrite($stream, $record(1, "\0\1\0\0\0\0\0\0") . $record(4, $parameters) . $record(4, '') . $record(5, '')) === false) {
        return null;
    }
    $body = '';
    for (;;) {
        $head = @stream_get_contents($stream, 8);
        if (strlen((string) $head) < 8) {
            return stream_get_meta_data($stream)['timed_out'] ? false : null;
        }
        ['type' => $type, 'size' => $size, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nsize/Cpadding', $head);
        $data = $size + $padding > 0 ? (string) @stream_get_contents($stream, $size + $padding) : '';
        if ($type === 6) {
            $body .= substr($data, 0, $size);
        } elseif ($type === 3) {
            return substr((string) strstr($body, "\r\n\r\n"), 4);
        }
    }
}
