<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Makes a lock store from a DSN that is known only at run time. Symfony's factory makes the stores of other DSNs.
 *
 * @internal
 */
final class LarderLockStoreFactory
{
    public static function createStore(#[\SensitiveParameter] string $connection): PersistingStoreInterface
    {
        return \in_array($connection, ['larder', 'larder://'], true) ? new LarderLockStore() : StoreFactory::createStore($connection);
    }
}
