<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

use Larder\VolatileCache;

/** The extension is not loaded, and larder/polyfill is not installed or cannot share its stores with other processes. */
final class ExtensionMissing extends \RuntimeException implements
    \Psr\Cache\CacheException,
    \Psr\SimpleCache\CacheException
{
    private const SENTENCE = 'The PHP extension "larder" is not loaded: install it and put "extension=larder" into php.ini.';

    public function __construct(string $more = '')
    {
        parent::__construct(self::SENTENCE . $more);
    }

    /** Called if the extension is not loaded. Throws if larder/polyfill is not installed, or if other programs cannot share its stores. */
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
