<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Closed;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Record;

/**
 * A namespace in the volatile store, whose entries VolatileCache does not see. Its methods work like those of VolatileCache. The maximum
 * length of a key is that of VolatileCache, minus 14 bytes and the length of the pool's name.
 *
 * Every call reads the pool's record. So use a pool for many keys that belong together, not one pool per user. VolatileCache::clear()
 * empties all pools. A full store may evict an unused pool.
 *
 * @strict-properties
 */
final class Pool
{
    use Closed;

    private readonly string $name;
    private readonly Cache $cache;

    private function __construct() {}


    public function name(): string
    {
        Fault::most(\func_num_args(), 0);
        return $this->name;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->get($key, $default);
    }

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->getMultiple($keys, $default);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        Fault::most(\func_num_args(), 4);
        return $this->cache->set($key, $value, $ttl, $form);
    }

    /**
     * @param array<array-key, mixed> $values
     */
    public function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool
    {
        Fault::most(\func_num_args(), 3);
        return $this->cache->setMultiple($values, $ttl, $form);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        Fault::most(\func_num_args(), 4);
        return $this->cache->set($key, $value, $ttl, $form, add: true);
    }

    public function has(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->has($key);
    }

    public function delete(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->delete($key);
    }

    /**
     * @param array<array-key, int|string> $keys
     */
    public function deleteMultiple(array $keys): bool
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->deleteMultiple($keys);
    }

    /** Remove all entries, in constant time. Their memory counts as used until the store gives it to new entries. */
    public function clear(): bool
    {
        Fault::most(\func_num_args(), 0);
        return $this->cache->clear();
    }

    public function keyInfo(string $key): ?KeyInfo
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->keyInfo($key);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->touch($key, $ttl);
    }

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        Fault::most(\func_num_args(), 3);
        return $this->cache->add($key, $step, $ttl);
    }

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        Fault::most(\func_num_args(), 3);
        return $this->cache->add($key, $step, $ttl, down: true);
    }

    /**
     * Take units of a rate limit, as VolatileCache::throttle() does.
     *
     * @throws StaticCacheException if the store is off, or if the entry is not a rate limit with this $sliding and $per
     */
    public function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle
    {
        Fault::most(\func_num_args(), 6);
        return $this->cache->throttle($key, $limit, $per, $cost, $wait, $sliding);
    }

    /** Return a value and delete its entry, in one step. */
    public function take(string $key, mixed $default = null): mixed
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->take($key, $default);
    }

    /**
     * Return a value and the version of its entry. The version of an int is always 0: use compareAndSet().
     *
     * @return array{mixed, int}|null null if there is no such entry
     */
    public function getVersioned(string $key): ?array
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->getVersioned($key);
    }

    /** Store a value as set() does, but only if the entry has the $version from getVersioned(). Otherwise returns false. */
    public function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool
    {
        Fault::most(\func_num_args(), 4);
        return $this->cache->replaceIf($key, $value, $version, $ttl);
    }

    /** Delete the entry, but only if it has the $version from getVersioned(). Otherwise returns false. */
    public function deleteIf(string $key, int $version): bool
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->deleteIf($key, $version);
    }

    /** Replace the int $expected by $value, and keep the time to live. Returns false if the entry has another value. */
    public function compareAndSet(string $key, int $expected, int $value): bool
    {
        Fault::most(\func_num_args(), 3);
        return $this->cache->compareAndSet($key, $expected, $value);
    }

    /** Lock a key, as VolatileCache::lock() does. clear() does not end the lock. */
    public function lock(string $key, int|float $lease = 0): bool
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->lock($key, $lease);
    }

    public function unlock(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->unlock($key);
    }

    /**
     * Take a lease: the right to fill a missing key. Take a lease, read the data, and call fill(). If the key is invalidated between
     * lease() and fill(), the data is not stored. Returns null if the key has an entry or a lease, or if the pool does not exist.
     *
     * A lease ends after $seconds, or earlier if the key is written or deleted, the pool is cleared, or the store evicts the lease. While a
     * key is leased, reads find no entry, increment() starts at 0, and delete() returns true. touch() and add() return false, and do not
     * end the lease. lease() restores the value of an existing entry, and does not catch an exception of a hook.
     *
     * @return string|null the lease, which fill() takes
     */
    public function lease(string $key, int|float $seconds = 10): ?string
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->lease($key, $seconds);
    }

    /**
     * Store a value as set() does, but only if the lease has not ended. $ttl counts from the call of lease(). Returns false if the lease
     * has ended or $ttl is over.
     */
    public function fill(string $key, mixed $value, string $lease, int|float $ttl = 0): bool
    {
        Fault::most(\func_num_args(), 4);
        return $this->cache->fill($key, $value, $lease, $ttl);
    }

    /** Delete the key's entry, or end its lease. Waits while another process writes. Always returns true. */
    public function invalidate(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->invalidate($key);
    }

    /**
     * Create or empty the pool. All its entries end together after $seconds, unless prolong() is called in time. set(), add(), increment()
     * and remember() create a missing pool, but get(), lease() and fill() do not.
     * @return string|null the token that prolong() takes; null: the store is off or has no room
     */
    public function begin(int|float $seconds): ?string
    {
        Fault::most(\func_num_args(), 1);
        return $this->cache->begin($seconds);
    }

    /**
     * Let the pool end $seconds from now. $token is the result of the begin() that started the pool. Returns false if the pool has ended or
     * was begun again since then.
     */
    public function prolong(string $token, int|float $seconds): bool
    {
        Fault::most(\func_num_args(), 2);
        return $this->cache->prolong($token, $seconds);
    }

    /**
     * Return or compute a value, as VolatileCache::remember() does. If the pool is cleared meanwhile, the value is not stored.
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed
    {
        Fault::most(\func_num_args(), 5);
        return $this->cache->remember($key, $compute, $ttl, $stale, $form);
    }

    /** Return the state of the pool. Reads the whole store. */
    public function info(): PoolInfo
    {
        Fault::most(\func_num_args(), 0);
        [$count, $bytes] = $this->cache->size();
        [$hits, $misses, $stores] = $this->cache->uses();
        return Record::make(PoolInfo::class, [
            'name' => $this->name,
            'entry_count' => $count,
            'used_memory' => $bytes,
            'hits' => $hits,
            'misses' => $misses,
            'stores' => $stores,
        ]);
    }
}
