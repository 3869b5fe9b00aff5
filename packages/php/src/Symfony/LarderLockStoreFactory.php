<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Makes the lock store when its DSN is known: our store for `larder` and `larder://`, other stores by Symfony's factory.
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
