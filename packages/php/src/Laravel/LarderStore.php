<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\TaggableStore;
use Illuminate\Contracts\Cache\Lock;
use Illuminate\Contracts\Cache\LockProvider;
use Larder\Cache\Exception\LocksUnusable;
use Larder\Cache\Locks;
use Larder\Cache\PinnedStore;
use Larder\Cache\Removal;
use Larder\Cache\Store;
use Larder\Cache\Tiered\TieredStore;
use Larder\Cache\VolatileStore;
use Larder\Pool;
use Larder\VolatileCache;

/**
 * Laravel's cache in a pool of the volatile store. Nothing is serialized, and ints are counters. add(), increment() and locks are atomic
 * among all processes that share the store. Workers of Octane may keep this object.
 *
 * Storing a value of an unsuitable type throws a TypeError.
 */
final class LarderStore extends TaggableStore implements FlushesLocks, LockProvider
{
    private const PATIENCE = 1000000000; // how long to wait (ns) for a key that another process has reserved

    /** The prefixes of signals: entries by which a command notifies other processes. */
    private const SIGNALS = ['illuminate:queue:restart', 'illuminate:queue:paused:', 'illuminate:schedule:interrupt', 'framework/schedule-'];

    private Pool|Store $store;
    private readonly Locks $locks;
    private readonly bool $asks; // true if refuseSignal() must check each key before it is written

    public function __construct(Store $store, ?Locks $locks = null, private string $prefix = '')
    {
        $this->store = $store instanceof VolatileStore ? $store->pool() : $store;
        $this->locks = $locks ?? Locks::pinned();
        $this->asks = $store instanceof VolatileStore && \in_array(\PHP_SAPI, ['cli', 'phpdbg'], true);
    }

    /**
     * @param string|int $key
     * @return mixed null: there is no entry
     */
    public function get($key)
    {
        return $this->store->get((string) $key);
    }

    /**
     * @param array<array-key, string|int> $keys
     * @return array<array-key, mixed>
     */
    public function many(array $keys)
    {
        return $this->store->getMultiple($keys);
    }

    /**
     * @param string|int $key
     * @param mixed $value
     * @param int|float $seconds 0 or less: for ever, as with Laravel's own stores
     * @return bool
     */
    public function put($key, $value, $seconds)
    {
        $this->asks && $this->refuseSignal((string) $key);
        return $this->store->set((string) $key, $value, max(0, $seconds));
    }

    /**
     * @param array<array-key, mixed> $values
     * @param int|float $seconds
     * @return bool
     */
    public function putMany(array $values, $seconds)
    {
        return $this->store->setMultiple($values, max(0, $seconds));
    }

    /**
     * Stores a value if the key has no entry.
     *
     * @param string|int $key
     * @param mixed $value
     * @param int|float $seconds
     * @return bool
     */
    public function add($key, $value, $seconds)
    {
        $this->asks && $this->refuseSignal((string) $key);
        return $this->store->add((string) $key, $value, max(0, $seconds));
    }

    /**
     * @param string|int $key
     * @param int|numeric-string $value
     * @return int|bool false: the entry is not a number
     */
    public function increment($key, $value = 1)
    {
        $sum = $this->store->increment((string) $key, (int) $value);
        return $sum !== false ? $sum : $this->count((string) $key, (int) $value);
    }

    /**
     * @param string|int $key
     * @param int|numeric-string $value
     * @return int|bool
     */
    public function decrement($key, $value = 1)
    {
        $sum = $this->store->decrement((string) $key, (int) $value);
        return $sum !== false ? $sum : $this->count((string) $key, -(int) $value);
    }

    /**
     * @param string|int $key
     * @param mixed $value
     * @return bool
     */
    public function forever($key, $value)
    {
        $this->asks && $this->refuseSignal((string) $key);
        return $this->store->set((string) $key, $value);
    }

    /**
     * Gives an entry a new time to live from now.
     *
     * @param string|int $key
     * @param int|float $seconds
     * @return bool false: there is no entry
     */
    public function touch($key, $seconds)
    {
        return $this->store->touch((string) $key, max(0, $seconds));
    }

    /**
     * @param string|int $key
     * @return bool
     */
    public function forget($key)
    {
        return $this->store->delete((string) $key);
    }

    /** Deletes a key. A missing entry counts as deleted. */
    public function remove(string $key): bool
    {
        return Removal::of($this->store, [$key]);
    }

    /** @return bool */
    public function flush()
    {
        return $this->store->clear();
    }

    /** Ends the locks of all processes with this store's prefix. Returns false if some locks may remain. */
    public function flushLocks(): bool
    {
        return $this->locks->breakAll(LarderLock::resource($this->prefix, ''));
    }

    /** True: locks outlive flush(). */
    public function hasSeparateLockStore(): bool
    {
        return true;
    }

    /** @param string $prefix names the pool that this store uses from now on */
    public function setPrefix($prefix): void
    {
        if (!$this->store instanceof Pool) {
            throw new \LogicException('Only a store in the volatile store can have another prefix: make a LarderStore of a store for that prefix.');
        }
        $this->store = (new VolatileStore(LarderServiceProvider::pool($prefix)))->pool();
        $this->prefix = $prefix;
    }

    /**
     * Throws for a signal, such as that of `queue:restart`, if no other process can see this store.
     *
     * @throws LocksUnusable
     */
    private function refuseSignal(string $key): void
    {
        foreach (self::SIGNALS as $signal) {
            if (str_starts_with($key, $signal) && ($alone = PinnedStore::aloneIn(VolatileCache::info())) !== null) {
                throw new LocksUnusable("\"$key\" would reach no other process: $alone");
            }
        }
    }

    /** Reserves the key. Waits while another process has it; returns false if this takes too long. */
    private function reserve(string $key): bool
    {
        for ($until = hrtime(true) + self::PATIENCE; !$this->store->lock($key);) {
            if (hrtime(true) > $until) {
                return false;
            }
            usleep(100);
        }
        return true;
    }

    /**
     * Calls $take, which reads and deletes an entry. For each key, only one process at a time runs its $take.
     *
     * @internal
     * @param \Closure(): mixed $take
     * @return mixed the result of $take, or $none if another process has reserved the key for too long
     */
    public function exclusively(string $key, \Closure $take, mixed $none): mixed
    {
        $reserved = "\0pull\0" . (\strlen($key) <= 1000 ? $key : hash('sha256', $key));
        if (!$this->reserve($reserved)) {
            return $none;
        }
        try {
            return $take();
        } finally {
            $this->store->unlock($reserved);
        }
    }

    /** Adds $step to an int or, as Laravel's other stores do, to a numeric string. A value that cannot be restored counts as missing. */
    private function count(string $key, int $step): int|false
    {
        if (!$this->reserve($key)) {
            return false;
        }
        try {
            $sum = $this->store->increment($key, $step); // another process may have turned the value into an int
            if ($sum !== false) {
                return $sum;
            }
            $value = $this->store->get($key);
            if ($value === null) {
                return $this->store->add($key, $step) ? $step : $this->store->increment($key, $step);
            }
            if (!is_numeric($value) || \is_int($value)) {
                return false;
            }
            $left = match (true) {
                $this->store instanceof Pool => $this->store->keyInfo($key)?->ttl,
                $this->store instanceof TieredStore => $this->store->left($key),
                default => null,
            };
            return $this->store->set($key, (int) $value, $left ?? 0) ? $this->store->increment($key, $step) : false;
        } finally {
            $this->store->unlock($key);
        }
    }

    /** @return string the prefix, which names the pool; keys do not begin with it */
    public function getPrefix()
    {
        return $this->prefix;
    }

    /**
     * @param array<string>|mixed $names
     * @return LarderTaggedCache
     */
    public function tags($names)
    {
        $names = \is_array($names) ? $names : \func_get_args();
        return new LarderTaggedCache($this, new LarderTagSet($this, $names));
    }

    /**
     * @param string|int $name
     * @param int $seconds the seconds after which the lock ends; 0: it ends only when it is released
     * @param string|int|null $owner
     */
    public function lock($name, $seconds = 0, $owner = null): Lock
    {
        return new LarderLock($this->locks, $this->prefix, $name, $seconds, $owner);
    }

    /**
     * @param string|int $name
     * @param string|int $owner
     */
    public function restoreLock($name, $owner): Lock
    {
        return $this->lock($name, 0, $owner);
    }
}
