<?php

declare(strict_types=1);

namespace Servers;

use RuntimeException;

/** A temporary folder for the files of one run. */
final class Folder
{
    public static function make(string $name): string
    {
        $folder = sys_get_temp_dir() . "/$name-" . bin2hex(random_bytes(6));
        mkdir($folder, 0755) || throw new RuntimeException("cannot make $folder");
        chmod($folder, 0755); // the user of the workers must be able to read it
        return $folder;
    }

    public static function remove(string $folder): void
    {
        foreach (array_diff(scandir($folder) ?: [], ['.', '..']) as $name) {
            is_dir("$folder/$name") && !is_link("$folder/$name") ? self::remove("$folder/$name") : unlink("$folder/$name");
        }
        rmdir($folder);
    }

    /**
     * Returns a free port of the loopback interface: $wished if it is free, else another one. A program that asks the kernel for any free
     * port gets a higher one, so no such program takes this port before our server does.
     */
    public static function freePort(int $wished = 0): int
    {
        $port = $wished ?: random_int(20000, 32000);
        for ($tries = 0; $tries < 1000; $tries++) {
            $socket = @stream_socket_server("tcp://127.0.0.1:$port", $code, $message);
            if (is_resource($socket)) {
                return $port;
            }
            $port = random_int(20000, 32000);
        }
        throw new \RuntimeException("no port of 127.0.0.1 is free: $message");
    }
}
