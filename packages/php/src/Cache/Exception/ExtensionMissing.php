<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** The extension is not loaded. */
final class ExtensionMissing extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException
{
    public function __construct()
    {
        parent::__construct('The PHP extension "larder" is not loaded: install it and put "extension=larder" into php.ini.');
    }
}
