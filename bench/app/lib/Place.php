<?php

declare(strict_types=1);

namespace Bench;

/** Where servers and files are. The benchmark sets these places in $_SERVER; the defaults are the usual places. */
final class Place
{
    /** The folder of the sockets SERVER.sock. The web server or the environment sets it in $_SERVER. */
    public const SOCKETS = 'LARDER_BENCH_SOCKETS';
    public const FILES = 'LARDER_BENCH_FILES';
    public const VENDOR = 'LARDER_BENCH_VENDOR';

    /** @return array{string, int} the path of a socket and 0, or an address and its port */
    public static function server(string $name, int $port): array
    {
        $folder = $_SERVER[self::SOCKETS] ?? null;
        return $folder === null ? ['127.0.0.1', $port] : ["$folder/$name.sock", 0];
    }

    /** Returns a folder for files, and creates it if it is missing. */
    public static function files(): string
    {
        $folder = $_SERVER[self::FILES] ?? sys_get_temp_dir() . '/larder-bench-' . getmyuid();
        is_dir($folder) || @mkdir($folder, 0700) || is_dir($folder) || throw new Unavailable("cannot make $folder");
        return $folder;
    }

    /** Returns the folder of Composer's packages. */
    public static function vendor(): string
    {
        return $_SERVER[self::VENDOR] ?? dirname(__DIR__) . '/vendor';
    }
}
