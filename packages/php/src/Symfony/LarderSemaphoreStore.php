<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\Name;
use Larder\Permit;
use Larder\Semaphore;
use Larder\StaticCacheException;
use Symfony\Component\Semaphore\Exception\InvalidArgumentException;
use Symfony\Component\Semaphore\Exception\SemaphoreAcquiringException;
use Symfony\Component\Semaphore\Exception\SemaphoreExpiredException;
use Symfony\Component\Semaphore\Key;
use Symfony\Component\Semaphore\PersistingStoreInterface;

/**
 * Keeps Symfony's semaphores as Larder\Semaphore. A permit ends when it is released, when its time to live is over, or when its request or
 * its process ends. So another process cannot use the key of a semaphore.
 */
final class LarderSemaphoreStore implements PersistingStoreInterface
{
    private const NAME_MAX = 900; // maximum length in bytes of a name that is not hashed
    // The clock of permits is coarse: a permit may end this many seconds early.
    private const TICK = 0.01;

    /** @param string $prefix keeps semaphores of several applications in one store apart */
    public function __construct(private readonly string $prefix = 'symfony') {}

    public function save(Key $key, float $ttlInSecond): void
    {
        $lease = self::lease($ttlInSecond);
        if ($this->exists($key)) {
            return;
        }
        $key->removeState(self::class);
        $permits = [];
        $end = self::end($lease);
        try {
            while (\count($permits) < $key->getWeight()) {
                // the exception destroys the objects in $permits, which releases their permits
                $permits[] = Semaphore::acquire($this->name($key), $key->getLimit(), $lease)
                    ?? throw new SemaphoreAcquiringException($key, 'others have too many of its permits');
            }
        } catch (StaticCacheException $e) {
            throw new SemaphoreAcquiringException($key, $e->getMessage());
        }
        $key->setState(self::class, [$permits, $end]);
    }

    public function delete(Key $key): void
    {
        foreach (self::state($key)[0] as $permit) {
            $permit->release();
        }
        $key->removeState(self::class);
    }

    public function exists(Key $key): bool
    {
        return hrtime(true) / 1e9 < self::state($key)[1];
    }

    public function putOffExpiration(Key $key, float $ttlInSecond): void
    {
        $lease = self::lease($ttlInSecond);
        $permits = self::state($key)[0];
        $end = self::end($lease);
        foreach ($permits as $permit) {
            if (!$permit->renew($lease)) {
                $permits = [];
            }
        }
        if ($permits === []) {
            $this->delete($key);
            throw new SemaphoreExpiredException($key, 'its time to live is over, or it was never acquired');
        }
        $key->setState(self::class, [$permits, $end]);
    }

    private static function lease(float $ttl): float
    {
        return $ttl >= 0 ? max($ttl, 0.001) : throw new InvalidArgumentException("The TTL should be greater than 0, '$ttl' given.");
    }

    /**
     * Returns the time at which exists() begins to return false. Call this method before you acquire or renew the permits. Otherwise a
     * permit could end while exists() still returns true.
     */
    private static function end(float $lease): float
    {
        return hrtime(true) / 1e9 + $lease - self::TICK;
    }

    /** @return array{list<Permit>, float} the permits, and when they expire */
    private static function state(Key $key): array
    {
        /** @var array{list<Permit>, float} written by save() */
        return $key->hasState(self::class) ? $key->getState(self::class) : [[], 0.0];
    }

    private function name(Key $key): string
    {
        return Name::bounded("$this->prefix:$key", self::NAME_MAX);
    }
}
