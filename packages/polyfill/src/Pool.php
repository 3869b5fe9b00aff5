<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Closed;
use Larder\Polyfill\Record;

/**
 * A part of VolatileCache with keys of its own: the same key in two pools names two entries, and VolatileCache sees neither. The
 * methods are those of VolatileCache. The longest key is shorter than there by the pool's name and 14 bytes.
 *
 * A pool has a record, itself an entry that each call reads (VolatileCache::info() counts that as a hit). Use a pool for many keys that
 * belong together, not one for each user. VolatileCache::clear() empties the pools too. If the store is full, a pool that is not used
 * may be evicted like an entry.
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
        return $this->name;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->cache->get($key, $default);
    }

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array
    {
        return $this->cache->getMultiple($keys, $default);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        return $this->cache->set($key, $value, $ttl, $form);
    }

    /**
     * @param array<array-key, mixed> $values
     */
    public function setMultiple(array $values, int|float $ttl = 0, ?string $form = null): bool
    {
        return $this->cache->setMultiple($values, $ttl, $form);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0, ?string $form = null): bool
    {
        return $this->cache->set($key, $value, $ttl, $form, add: true);
    }

    public function has(string $key): bool
    {
        return $this->cache->has($key);
    }

    public function delete(string $key): bool
    {
        return $this->cache->delete($key);
    }

    /**
     * @param array<array-key, int|string> $keys
     */
    public function deleteMultiple(array $keys): bool
    {
        return $this->cache->deleteMultiple($keys);
    }

    /**
     * Remove all entries, in a time that does not depend on their number. Their memory is freed when the store needs it. Until then it
     * counts as used, and VolatileCache::info() counts the entries.
     */
    public function clear(): bool
    {
        return $this->cache->clear();
    }

    public function keyInfo(string $key): ?KeyInfo
    {
        return $this->cache->keyInfo($key);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return $this->cache->touch($key, $ttl);
    }

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return $this->cache->add($key, $step, $ttl);
    }

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return $this->cache->add($key, $step, $ttl, down: true);
    }

    /**
     * Take $cost units of a rate limit of $limit units in $per seconds, shared by all processes, or none if fewer are left. An unused
     * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes, and
     * costs as much as increment(). $cost 0 only reads the limit. With $wait, units that come back within $wait seconds are taken in
     * advance: retryAfter is then the time to wait before using them. With $sliding no $per seconds ever admit more than $limit units, at
     * most 16383: units come back $per seconds after they were taken, or up to 4 % later. $per is then at least 1, and $wait 0. Callers that
     * share a key must give the same $limit, $per and $sliding.
     * Call delete() to reset the limit. The store may evict a limit that is rarely used, which resets it; PinnedCache evicts none.
     * @throws StaticCacheException the store is off, or the entry is no rate limit
     */
    public function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0, bool $sliding = false): Throttle
    {
        return $this->cache->throttle($key, $limit, $per, $cost, $wait, $sliding);
    }

    /** Get a value and delete the entry in the same step: exactly one of several callers gets the value. */
    public function take(string $key, mixed $default = null): mixed
    {
        return $this->cache->take($key, $default);
    }

    /**
     * Get a value and the version of the entry, for replaceIf() and deleteIf(). An int has version 0: see compareAndSet().
     * @return array{mixed, int}|null null: there is no such entry
     */
    public function getVersioned(string $key): ?array
    {
        return $this->cache->getVersioned($key);
    }

    /** Store a value like set(), but only if the entry still has this version of getVersioned(); else return false. */
    public function replaceIf(string $key, mixed $value, int $version, int|float $ttl = 0): bool
    {
        return $this->cache->replaceIf($key, $value, $version, $ttl);
    }

    /** Delete the entry, but only if it still has this version of getVersioned(); else return false. */
    public function deleteIf(string $key, int $version): bool
    {
        return $this->cache->deleteIf($key, $version);
    }

    /** Set an int if it is $expected. The time to live does not change. Returns false if it is another int, or no int. */
    public function compareAndSet(string $key, int $expected, int $value): bool
    {
        return $this->cache->compareAndSet($key, $expected, $value);
    }

    /** Reserve a key like VolatileCache::lock(). clear() does not end the lock. */
    public function lock(string $key, int|float $lease = 0): bool
    {
        return $this->cache->lock($key, $lease);
    }

    public function unlock(string $key): bool
    {
        return $this->cache->unlock($key);
    }

    /**
     * Take a lease: the right to fill a missing key. Use it to cache data from elsewhere: take a lease, read the data, and call fill().
     * Data that was invalidated in between is then not stored.
     * Returns null if the key has an entry or a lease, or if there is no such pool. An entry whose class is gone or has changed is
     * replaced. To find out, lease() restores the entry, and exceptions of its hooks are passed on.
     * Each write or delete of the key breaks a lease, as do clear(), eviction and the end of $seconds: increment() starts at 0,
     * delete() returns true. For all other calls a leased key is a miss: touch() and add() return false and leave the lease alone.
     * @return string|null what fill() takes
     */
    public function lease(string $key, int|float $seconds = 10): ?string
    {
        return $this->cache->lease($key, $seconds);
    }

    /** Store a value like set(), but only while the lease is valid; else return false. */
    public function fill(string $key, mixed $value, string $lease, int|float $ttl = 0): bool
    {
        return $this->cache->fill($key, $value, $lease, $ttl);
    }

    /**
     * End the key's entry or lease. Returns false only if the key's part of the store is busy for longer than 100 ms.
     */
    public function invalidate(string $key): bool
    {
        return $this->cache->invalidate($key);
    }

    /**
     * Create the pool, or replace it by an empty one. After $seconds all its entries end at once, unless prolong() is called before. Use
     * this for a copy of data that a listener keeps up to date. The calls set(), add(), increment() and remember() create a missing pool;
     * get(), lease() and fill() do not.
     * @return string|null what prolong() takes; null: the store is off or has no room
     */
    public function begin(int|float $seconds): ?string
    {
        return $this->cache->begin($seconds);
    }

    /** Let the pool last for $seconds from now on. Returns false if another pool has replaced the one of that begin(). */
    public function prolong(string $token, int|float $seconds): bool
    {
        return $this->cache->prolong($token, $seconds);
    }

    /**
     * Return or compute a value like VolatileCache::remember(). If the pool is cleared meanwhile, the computed value is returned but
     * not stored.
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0, ?string $form = null): mixed
    {
        return $this->cache->remember($key, $compute, $ttl, $stale, $form);
    }

    /** Return the state of the pool. Reads the whole store. */
    public function info(): PoolInfo
    {
        [$count, $bytes] = $this->cache->size();
        $record = $this->cache->record();
        return Record::make(PoolInfo::class, [
            'name' => $this->name,
            'entry_count' => $count,
            'used_memory' => $bytes,
            'hits' => $record->hits ?? 0,
            'misses' => $record->misses ?? 0,
            'stores' => $record->stores ?? 0,
        ]);
    }
}
