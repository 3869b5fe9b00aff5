<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Closed;
use Larder\Polyfill\Record;

/**
 * A part of VolatileCache with keys of its own: the same key in two pools is two entries, and VolatileCache has
 * neither. The methods are those of VolatileCache. A key may be as long as there, less the name and 14 bytes.
 *
 * What the entries have in common is a record, itself an entry that each call reads (VolatileCache::info() counts
 * that as a hit): keep a pool for what many keys share, not one for each user. VolatileCache::clear() empties the pools too, and a pool that is not
 * used while the store is full may be evicted like an entry.
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

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->cache->set($key, $value, $ttl);
    }

    /**
     * @param array<array-key, mixed> $values
     */
    public function setMultiple(array $values, int|float $ttl = 0): bool
    {
        return $this->cache->setMultiple($values, $ttl);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->cache->set($key, $value, $ttl, add: true);
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
     * Removes all entries, however many. Their memory comes back as the store needs it; until then it counts as
     * used, and VolatileCache::info() counts the entries.
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
     * limit has all units at once; one comes back each $per / $limit seconds (GCRA). The limit is exact for any number of processes,
     * and costs as much as increment(). $cost 0 only looks. With $wait, units that come back within $wait seconds are taken in
     * advance: retryAfter is then the time to wait before using them. Callers that share a key must give the same $limit and $per.
     * Call delete() to reset the limit. The store may evict a limit that is
     * used seldom, which begins it anew: PinnedCache keeps it.
     * @throws StaticCacheException the store is off, or the entry is no rate limit
     */
    public function throttle(string $key, int $limit, int|float $per, int $cost = 1, int|float $wait = 0): Throttle
    {
        return $this->cache->throttle($key, $limit, $per, $cost, $wait);
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

    /** clear() does not affect it. */
    public function lock(string $key, int|float $lease = 0): bool
    {
        return $this->cache->lock($key, $lease);
    }

    public function unlock(string $key): bool
    {
        return $this->cache->unlock($key);
    }

    /**
     * The right to fill a key that is a miss, or null: the key has an entry or a lease, or there is no such pool. An
     * entry that is a miss here, because a class is gone or has changed, gives way; to see that it is restored, and
     * what its hooks throw is passed on. Any write or delete of the key breaks a lease, as do clear(), eviction
     * and the end of $seconds: increment() makes an entry from 0, delete() returns true. To all other calls a
     * leased key is a miss: touch() returns false and leaves the lease as it is, and so does add(). Whoever reads
     * data from elsewhere to keep it here takes a lease, reads, and fills: what was invalidated in between is not
     * stored.
     * @return string|null what fill() takes
     */
    public function lease(string $key, int|float $seconds = 10): ?string
    {
        return $this->cache->lease($key, $seconds);
    }

    /** As set(), but only while the lease holds; else false. */
    public function fill(string $key, mixed $value, string $lease, int|float $ttl = 0): bool
    {
        return $this->cache->fill($key, $value, $lease, $ttl);
    }

    /** Ends the key's entry or lease. False only where the key's part of the store is busy for longer than 100 ms. */
    public function invalidate(string $key): bool
    {
        return $this->cache->invalidate($key);
    }

    /**
     * Makes the pool anew, empty, to be empty again after $seconds unless it is prolonged: then its entries are gone
     * at once. For a copy of data that somebody has to keep true. set(), add(), increment() and remember() make a
     * pool that is not there; get(), lease() and fill() do not.
     * @return string|null what prolong() takes; null: the store is off or has no room
     */
    public function begin(int|float $seconds): ?string
    {
        return $this->cache->begin($seconds);
    }

    /** Lets the pool last $seconds from now on; false when it is not what that begin() made any more. */
    public function prolong(string $token, int|float $seconds): bool
    {
        return $this->cache->prolong($token, $seconds);
    }

    /**
     * What was computed when the pool is cleared meanwhile is returned, but not kept.
     *
     * @template T
     * @param string $key
     * @param callable(): T $compute
     * @return T
     */
    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed
    {
        return $this->cache->remember($key, $compute, $ttl, $stale);
    }

    /** Walks the whole store. */
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
