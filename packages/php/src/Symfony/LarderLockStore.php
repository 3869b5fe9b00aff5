<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\Locks;
use Symfony\Component\Lock\BlockingSharedLockStoreInterface;
use Symfony\Component\Lock\BlockingStoreInterface;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\SharedLockStoreInterface;
use Symfony\Component\Lock\Store\ExpiringStoreTrait;

/** Keeps Symfony's locks in the pinned store, which evicts nothing. A lock ends with its time to live, not with its request or process. */
final class LarderLockStore implements SharedLockStoreInterface, BlockingSharedLockStoreInterface, BlockingStoreInterface
{
    use ExpiringStoreTrait;

    private readonly Locks $locks;

    /** @param float $initialTtl seconds after which a lock ends if no process refreshes it */
    public function __construct(?Locks $locks = null, private readonly float $initialTtl = 300.0)
    {
        if (!($initialTtl > 0)) {
            throw new InvalidTtlException(\sprintf('"%s()" expects a strictly positive TTL. Got %s.', __METHOD__, $initialTtl));
        }
        $this->locks = $locks ?? Locks::pinned();
    }

    public function save(Key $key): void
    {
        $key->reduceLifetime($this->initialTtl);
        if (!$this->locks->acquire((string) $key, $this->token($key), $this->initialTtl)) {
            throw new LockConflictedException();
        }
        $this->checkNotExpired($key);
    }

    public function saveRead(Key $key): void
    {
        $key->reduceLifetime($this->initialTtl);
        if (!$this->locks->share((string) $key, $this->token($key), $this->initialTtl)) {
            throw new LockConflictedException();
        }
        $this->checkNotExpired($key);
    }

    public function waitAndSave(Key $key): void
    {
        $this->wait($key, fn() => $this->save($key));
    }

    public function waitAndSaveRead(Key $key): void
    {
        $this->wait($key, fn() => $this->saveRead($key));
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        if (!($ttl > 0)) {
            throw new InvalidTtlException(\sprintf('"%s()" expects a strictly positive TTL. Got %s.', __METHOD__, $ttl));
        }
        $key->reduceLifetime($ttl);
        if (!$this->locks->prolong((string) $key, $this->token($key), $ttl)) {
            throw new LockConflictedException();
        }
        $this->checkNotExpired($key);
    }

    public function delete(Key $key): void
    {
        $this->locks->release((string) $key, $this->token($key));
    }

    public function exists(Key $key): bool
    {
        return \in_array($this->token($key), $this->locks->owners((string) $key), true);
    }

    /** @param \Closure(): void $save */
    private function wait(Key $key, \Closure $save): void
    {
        for ($pause = 200;; $pause = min(2 * $pause, 20000)) {
            $key->resetLifetime(); // the time to live begins now, not with the wait
            try {
                $save();
                return;
            } catch (LockConflictedException) {
                usleep(random_int(intdiv($pause, 2), $pause));
            }
        }
    }

    private function token(Key $key): string
    {
        if (!$key->hasState(self::class)) {
            $key->setState(self::class, bin2hex(random_bytes(16)));
        }
        $token = $key->getState(self::class);
        return \is_string($token) ? $token : throw new \LogicException('The state of the lock\'s key is not ours');
    }
}
