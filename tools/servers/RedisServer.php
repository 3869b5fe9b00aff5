<?php

declare(strict_types=1);

namespace Servers;

/** A redis-server of a run, on a Unix socket in its folder. It keeps nothing on disk. */
final class RedisServer
{
    /** @param bool $shared true if processes of other users may connect, too */
    public static function start(string $folder, bool $shared = false): Child
    {
        $socket = self::socket($folder);
        $server = Child::start([
            Programs::path('redis-server'), '--port', '0', '--unixsocket', $socket, '--unixsocketperm', $shared ? '777' : '700',
            '--save', '', '--appendonly', 'no', '--dir', $folder,
        ], fopen("$folder/redis.log", 'a'));
        $server->accepts("unix://$socket", 'redis-server', "$folder/redis.log");
        return $server;
    }

    public static function socket(string $folder): string
    {
        return "$folder/redis.sock";
    }
}
