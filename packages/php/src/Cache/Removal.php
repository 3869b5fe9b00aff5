<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Tiered\TieredStore;
use Larder\Pool;

/**
 * Removes entries. A missing entry counts as success, as the PSRs demand.
 *
 * @internal
 */
final class Removal
{
    /**
     * @param list<string> $keys
     * @return bool false: some of them may still be there
     */
    public static function of(Pool|Store $store, array $keys): bool
    {
        // has() of a TieredStore is also false while the server does not answer, so it cannot be used below
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
