<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

use Larder\Cache\PinnedStore;
use Larder\VolatileCache;

/** Only this command and its children can see the store of the queues, so no other process would get a message. */
final class QueuesUnusable extends \RuntimeException
{
    /**
     * @throws self
     * @throws ExtensionMissing
     */
    public static function unlessShared(): void
    {
        \extension_loaded('larder') || ExtensionMissing::unlessShared();
        if (($alone = PinnedStore::aloneIn(VolatileCache::info())) !== null) {
            throw new self("A message would reach no other process: $alone");
        }
    }
}
