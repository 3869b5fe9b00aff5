<?php

declare(strict_types=1);

namespace Bench\Queue;

use Bench\Place;
use Bench\Pusher;
use Bench\Unavailable;
use RedisException;

/** A list of a Redis server through phpredis, over a connection that outlives requests. */
final class Redis implements Pusher
{
    public const SETTINGS = ['extension=igbinary', 'extension=redis'];
    public const NEEDS = \Redis::class;
    public const MISSING = "PHP's extension redis is not loaded; Debian: php-redis";

    private readonly \Redis $server;

    public function __construct()
    {
        $this->server = new \Redis();
        try {
            $this->server->pconnect(...[...Place::server('redis-server', 6379), 1.0]);
        } catch (RedisException $failure) {
            throw new Unavailable("Redis does not answer ({$failure->getMessage()}); Debian: redis-server");
        }
    }

    public function push(string $message): bool
    {
        return is_int($this->server->lPush('bench', $message));
    }

    public function waiting(): ?int
    {
        return (int) $this->server->lLen('bench');
    }
}
