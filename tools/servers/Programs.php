<?php

declare(strict_types=1);

namespace Servers;

use RuntimeException;

/** Finds programs. Servers often lie outside of a user's PATH. */
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

    /** Returns the php-fpm of the same version as the PHP that runs this program. The extension is built for this version. */
    public static function fpm(): string
    {
        return self::path('php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, 'php-fpm');
    }

    /** Returns the file of an extension in PHP's folder for extensions. */
    public static function extension(string $name): string
    {
        return ini_get('extension_dir') . "/$name.so";
    }
}
