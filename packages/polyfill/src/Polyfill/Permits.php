<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\StaticCacheException;

/** The taken permits of all semaphores, in the volatile store. */
final class Permits
{
    /** Takes a permit, and returns its number, or null if all are taken. */
    public static function take(string $name, int $permits, float $lease): ?int
    {
        $store = self::store();
        return $store->log->run(function () use ($store, $name, $permits, $lease): ?int {
            $taken = $store->permits($name);
            if (\count($taken) >= $permits) {
                return null;
            }
            $number = $store->nextVersion();
            $store->setPermits($name, $taken + [$number => self::permit($lease)]);
            return $number;
        });
    }

    public static function renew(string $name, int $number, float $lease): bool
    {
        return self::replace($name, $number, self::permit($lease));
    }

    public static function release(string $name, int $number): bool
    {
        return self::replace($name, $number, null);
    }

    public static function count(string $name, int $permits): int
    {
        return min($permits, \count(self::store()->permits($name)));
    }

    /**
     * Returns 0.0 if another process has a permit, because it may release the permit at any time. Otherwise returns the seconds until the
     * first lease ends, or null if no permit has a lease.
     */
    public static function firstEnd(string $name): ?float
    {
        $first = INF;
        foreach (self::store()->permits($name) as [$end, $owner]) {
            $first = Owner::isOwn($owner) ? min($first, $end) : 0.0;
            if ($first === 0.0) {
                return 0.0;
            }
        }
        return is_finite($first) ? max(0.0, $first - Store::now()) : null;
    }

    /** @param array{float, string}|null $permit the new data; null: the permit ends */
    private static function replace(string $name, int $number, ?array $permit): bool
    {
        $store = self::store();
        return $store->log->run(function () use ($store, $name, $number, $permit): bool {
            $taken = $store->permits($name);
            $is = Owner::isOwn($taken[$number][1] ?? '-');
            if ($is) {
                unset($taken[$number]);
                $store->setPermits($name, $permit !== null ? $taken + [$number => $permit] : $taken);
            }
            return $is;
        });
    }

    /** @return array{float, string} */
    private static function permit(float $lease): array
    {
        return [$lease > 0 ? Store::now() + $lease : INF, Owner::own()];
    }

    private static function store(): Store
    {
        return Store::named('volatile') ?? throw new StaticCacheException('The semaphore cannot be used: the store is off (VolatileCache::info())');
    }
}
