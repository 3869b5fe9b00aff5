<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** The extension is not there. */
final class ExtensionMissing extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException
{
    public static function check(): void
    {
        if (!\extension_loaded('larder')) {
            throw new self('The PHP extension "larder" is not loaded: install it and put "extension=larder" into php.ini.');
        }
    }
}
