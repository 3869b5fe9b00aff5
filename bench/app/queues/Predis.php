<?php

declare(strict_types=1);

namespace Bench\Queue;

use Bench\Place;
use Bench\Pusher;
use Bench\Unavailable;
use Predis\Client;

/** The Redis list of the queue "redis", through a client that is written in PHP. */
final class Predis implements Pusher
{
    public const SETTINGS = [];
    public const NEEDS = Client::class;
    public const MISSING = 'Predis is not installed: "composer install" in bench/app does it';

    private readonly Client $server;

    public function __construct()
    {
        $autoload = Place::vendor() . '/autoload.php';
        is_file($autoload) || throw new Unavailable(self::MISSING);
        require_once $autoload;
        [$address, $port] = Place::server('redis-server', 6379);
        $this->server = new Client(['scheme' => $port === 0 ? 'unix' : 'tcp', 'path' => $address, 'host' => $address, 'port' => $port, 'persistent' => true]);
    }

    public function push(string $message): bool
    {
        return $this->server->lpush('bench', [$message]) > 0;
    }

    public function waiting(): ?int
    {
        return (int) $this->server->llen('bench');
    }
}
