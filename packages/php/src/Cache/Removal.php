<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Tiered\TieredStore;
use Larder\Pool;

/**
 * Removes entries. As the PSRs demand, a missing entry counts as removed.
 *
 * @internal
 */
final class Removal
{
    /**
     * @param list<string> $keys
     * @return bool false: some of the keys may still exist
     */
    public static function of(Pool|Store $store, array $keys): bool
    {
        // TieredStore::has() also returns false if the server does not answer, so it does not prove that a key is gone.
        if ($store instanceof TieredStore) {
            return $store->forget($keys);
        }
        if ($store->deleteMultiple($keys)) {
            return true;
        }
        foreach ($keys as $key) {
            if ($store->has($key)) {
                return false;
            }
        }
        return true;
    }
}
