<?php

declare(strict_types=1);

namespace Servers;

use RuntimeException;

/** Where the programs are: servers often lie outside a user's PATH. */
final class Programs
{
    public static function path(string ...$names): string
    {
        $folders = array_filter(explode(':', (string) getenv('PATH')));
        foreach ($names as $name) {
            foreach ([...$folders, '/usr/sbin', '/sbin', '/usr/local/sbin'] as $folder) {
                if (is_file("$folder/$name") && is_executable("$folder/$name")) {
                    return "$folder/$name";
                }
            }
        }
        throw new RuntimeException("$names[0] is missing; tools/setup.sh installs it (see its first lines)");
    }

    /** The php-fpm of the PHP that runs this, for which the extension is built. */
    public static function fpm(): string
    {
        return self::path('php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'php-fpm');
    }

    /** The file of an extension, or its name where PHP has it built in its folder. */
    public static function extension(string $name): string
    {
        return ini_get('extension_dir') . "/$name.so";
    }
}
