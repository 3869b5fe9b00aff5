<?php

declare(strict_types=1);

namespace Bench\Queue;

use Bench\Place;
use Bench\Pusher;
use ZMQContext;
use ZMQSocket;

/** A socket of ZeroMQ that outlives requests. Without a consumer, it buffers 1,000 messages, and then send() blocks for ever. */
final class Zmq implements Pusher
{
    public const SETTINGS = ['extension=zmq'];
    public const NEEDS = \ZMQ::class;
    public const MISSING = "PHP's extension zmq is not loaded; Debian: php-zmq";

    private readonly ZMQSocket $socket;

    public function __construct()
    {
        $connect = static fn(ZMQSocket $socket) => $socket->connect(self::address());
        $this->socket = (new ZMQContext(1, true))->getSocket(\ZMQ::SOCKET_PUSH, 'bench', $connect);
    }

    public static function address(): string
    {
        [$socket, $port] = Place::server('zmq', 0);
        return 'ipc://' . (str_starts_with($socket, '/') ? $socket : '/tmp/zmq.sock');
    }

    public function push(string $message): bool
    {
        $this->socket->send($message);
        return true;
    }

    public function waiting(): ?int
    {
        return null;
    }
}
