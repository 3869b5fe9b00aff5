<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;
use Bench\Place;
use Bench\Unavailable;
use RuntimeException;

/** A memcached server, through a connection that outlives requests. Encodes values by igbinary if the extension supports it. */
final class Memcached implements Driver
{
    public const SETTINGS = ['extension=igbinary', 'extension=msgpack', 'extension=memcached'];
    public const SERVER = ['memcached', '-s', '{socket}', '-a', '0777', '-t', '1', '-m', '128', '-u', '{user}'];

    private readonly \Memcached $server;

    public function __construct()
    {
        class_exists(\Memcached::class, false)
            || throw new Unavailable("PHP's extension memcached is not loaded; Debian: php-memcached");
        $this->server = new \Memcached('bench');
        if ($this->server->getServerList() === []) {
            $this->server->addServer(...Place::server('memcached', 11211));
            $this->server->setOption(\Memcached::OPT_COMPRESSION, false); // on one machine, compression takes more time than it saves
            \Memcached::HAVE_IGBINARY && $this->server->setOption(\Memcached::OPT_SERIALIZER, \Memcached::SERIALIZER_IGBINARY);
        }
    }

    public function increment(string $key): int
    {
        $sum = $this->server->increment($key);
        if ($sum === false && $this->server->getResultCode() === \Memcached::RES_NOTFOUND) {
            $this->server->add($key, 0); // does nothing if another process has added it
            $sum = $this->server->increment($key);
        }
        return $sum !== false ? $sum : $this->fail();
    }

    public function store(string $key, mixed $value): void
    {
        $this->server->set($key, $value) || $this->fail();
    }

    public function fetch(string $key): mixed
    {
        $value = $this->server->get($key);
        if ($value === false && $this->server->getResultCode() !== \Memcached::RES_SUCCESS) {
            return $this->server->getResultCode() === \Memcached::RES_NOTFOUND ? null : $this->fail();
        }
        return $value;
    }

    private function fail(): never
    {
        $what = $this->server->getResultMessage();
        [$address] = Place::server('memcached', 11211);
        $gone = [
            \Memcached::RES_CONNECTION_FAILURE, \Memcached::RES_CONNECTION_SOCKET_CREATE_FAILURE, \Memcached::RES_ERRNO,
            \Memcached::RES_HOST_LOOKUP_FAILURE, \Memcached::RES_SERVER_MARKED_DEAD,
            \Memcached::RES_SERVER_TEMPORARILY_DISABLED,
        ];
        throw in_array($this->server->getResultCode(), $gone, true)
            ? new Unavailable("memcached does not answer at $address ($what): install and start it; Debian: memcached")
            : new RuntimeException("memcached: $what");
    }
}
