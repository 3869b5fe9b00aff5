<?php

/* Takes the messages of /queue/zmq until SIGTERM. LARDER_BENCH_SOCKETS: the folder of zmq.sock; default: /tmp. */

declare(strict_types=1);

require dirname(__DIR__) . '/lib/autoload.php';

$socket = (new ZMQContext())->getSocket(ZMQ::SOCKET_PULL);
$socket->bind(Bench\Queue\Zmq::address());
if (($path = substr(Bench\Queue\Zmq::address(), 6)) !== '' && file_exists($path)) {
    chmod($path, 0777);
}
Bench\Consumer::run(function () use ($socket): array {
    try {
        $message = $socket->recv(ZMQ::MODE_DONTWAIT); // a signal would not end a blocking recv()
    } catch (ZMQSocketException) {
        return []; // a signal
    }
    is_string($message) || usleep(500);
    return is_string($message) ? [$message] : [];
});
