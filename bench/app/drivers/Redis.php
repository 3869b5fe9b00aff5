<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;
use Bench\Place;
use Bench\Unavailable;
use RedisException;
use RuntimeException;

/** A Redis server through phpredis, over a connection that outlives requests. Encodes values by igbinary if phpredis supports it. */
final class Redis implements Driver
{
    public const SETTINGS = ['extension=igbinary', 'extension=redis'];
    public const SERVER = [
        'redis-server', '--port', '0', '--unixsocket', '{socket}', '--unixsocketperm', '777', '--save', '',
        '--appendonly', 'no', '--maxmemory', '128mb', '--maxmemory-policy', 'allkeys-lru',
    ];

    private readonly \Redis $server;

    public function __construct()
    {
        class_exists(\Redis::class, false) || throw new Unavailable("PHP's extension redis is not loaded; Debian: php-redis");
        $this->server = new \Redis();
        [$address, $port] = Place::server('redis-server', 6379);
        try {
            $this->server->pconnect($address, $port, 1.0) || throw new RedisException('no connection');
        } catch (RedisException $failure) {
            $why = $failure->getMessage();
            throw new Unavailable("Redis does not answer at $address ($why): install and start it; Debian: redis-server");
        }
        $this->server->setOption(
            \Redis::OPT_SERIALIZER,
            defined('Redis::SERIALIZER_IGBINARY') ? \Redis::SERIALIZER_IGBINARY : \Redis::SERIALIZER_PHP,
        );
    }

    public function increment(string $key): int
    {
        $sum = $this->server->incr($key);
        return is_int($sum) ? $sum : throw new RuntimeException("Redis: $key was not incremented");
    }

    public function store(string $key, mixed $value): void
    {
        $this->server->set($key, $value) || throw new RuntimeException("Redis: $key was not stored");
    }

    public function fetch(string $key): mixed
    {
        $value = $this->server->get($key);
        return $value === false ? null : $value;
    }
}
