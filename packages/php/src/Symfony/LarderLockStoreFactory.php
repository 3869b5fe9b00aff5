<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Makes the store of a DSN when that is known: ours of `larder` and `larder://`, others as Symfony does.
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
