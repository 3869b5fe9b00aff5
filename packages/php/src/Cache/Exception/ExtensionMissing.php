<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

use Larder\VolatileCache;

/**
 * The extension is not loaded. larder/polyfill cannot replace it either: this package is not installed, or other processes do not
 * share its stores.
 */
final class ExtensionMissing extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException
{
    private const SENTENCE = 'The PHP extension "larder" is not loaded: install it and put "extension=larder" into php.ini.';

    public function __construct(string $more = '')
    {
        parent::__construct(self::SENTENCE . $more);
    }

    /**
     * Throws if this process has no store that unrelated processes share: larder/polyfill is not installed, or its stores have no name.
     * Callers check first that the extension is not loaded, so a program with the extension never loads this class.
     */
    public static function unlessShared(): void
    {
        if (!\class_exists(VolatileCache::class)) {
            throw new self();
        }
        if (\in_array(VolatileCache::info()->shared_model, ['process', 'anonymous'], true)) {
            throw new self(' Or, for larder/polyfill, set LARDER_SCOPE=NAME in the environment, so that web server and workers share a store.');
        }
    }
}
