<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\Name;
use Larder\Pool;
use Larder\VolatileCache;
use Symfony\Component\RateLimiter\LimiterStateInterface;
use Symfony\Component\RateLimiter\Storage\StorageInterface;

/**
 * Stores the states of Symfony's own limiter policies in a pool of the volatile store. A limiter reads its state, changes it and saves it.
 * Another process may change the state in between. To count exactly, a limiter needs a lock (LarderLockStore).
 */
final class LarderLimiterStorage implements StorageInterface
{
    private readonly Pool $pool;

    public function __construct(?Pool $pool = null)
    {
        $this->pool = $pool ?? VolatileCache::pool('symfony.limiter.states');
    }

    public function save(LimiterStateInterface $limiterState): void
    {
        $life = $limiterState->getExpirationTime();
        $key = self::key($limiterState->getId());
        if ($life !== null && $life <= 0) {
            $this->pool->delete($key);
        } else {
            $this->pool->set($key, $limiterState, $life ?? 0);
        }
    }

    public function fetch(string $limiterStateId): ?LimiterStateInterface
    {
        $state = $this->pool->get(self::key($limiterStateId));
        return $state instanceof LimiterStateInterface ? $state : null;
    }

    public function delete(string $limiterStateId): void
    {
        $this->pool->delete(self::key($limiterStateId));
    }

    private static function key(string $id): string
    {
        return Name::bounded($id, LarderLimiter::ID_MAX);
    }
}
