<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;
use Bench\Packed;
use Bench\Place;
use Bench\Unavailable;
use Predis\Client;
use Predis\Connection\ConnectionException;
use Predis\Connection\Resource\Exception\StreamInitException;

/** The Redis server of the driver "redis", through a client that is written in PHP. */
final class Predis implements Driver
{
    public const SETTINGS = ['extension=igbinary'];
    public const SERVER = Redis::SERVER;

    private readonly Client $server;

    public function __construct()
    {
        $autoload = Place::vendor() . '/autoload.php';
        is_file($autoload) || throw new Unavailable('Predis is not installed: "composer install" in bench/app does it');
        require_once $autoload;
        [$address, $port] = Place::server('redis-server', 6379);
        $this->server = new Client([
            'scheme' => $port === 0 ? 'unix' : 'tcp', 'path' => $address, 'host' => $address, 'port' => $port,
            'persistent' => true,
        ]);
        try {
            $this->server->connect();
        } catch (ConnectionException | StreamInitException $failure) {
            $why = $failure->getMessage();
            throw new Unavailable("Redis does not answer at $address ($why): install and start it; Debian: redis-server");
        }
    }

    public function increment(string $key): int
    {
        return $this->server->incr("predis.$key");
    }

    public function store(string $key, mixed $value): void
    {
        $this->server->set("predis.$key", Packed::pack($value));
    }

    public function fetch(string $key): mixed
    {
        $text = $this->server->get("predis.$key");
        return $text === null ? null : Packed::unpack($text);
    }
}
