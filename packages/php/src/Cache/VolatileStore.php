<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Pool;
use Larder\VolatileCache;

/** A pool of the volatile store, which may evict entries. Stores with the same name have the same entries. */
final class VolatileStore implements Store
{
    private readonly Pool $pool;

    /**
     * @param string $name the name of the pool, 1 to 255 bytes
     * @throws ExtensionMissing
     */
    public function __construct(string $name)
    {
        \class_exists(VolatileCache::class) || throw new ExtensionMissing();
        $this->pool = VolatileCache::pool($name);
    }

    /** Returns a store of this name. If the extension is missing, or the volatile store is off, returns $fallback. */
    public static function withFallback(string $name, Store $fallback): Store
    {
        return \class_exists(VolatileCache::class) && VolatileCache::info()->available ? new self($name) : $fallback;
    }

    /** Returns the extension's object for this pool, which is faster than this class. */
    public function pool(): Pool
    {
        return $this->pool;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->pool->get($key, $default);
    }

    public function getMultiple(array $keys, ?array $default = null): array
    {
        return $this->pool->getMultiple($keys, $default);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->pool->set($key, $value, $ttl);
    }

    public function setMultiple(array $values, int|float $ttl = 0): bool
    {
        return $this->pool->setMultiple($values, $ttl);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->pool->add($key, $value, $ttl);
    }

    public function has(string $key): bool
    {
        return $this->pool->has($key);
    }

    public function delete(string $key): bool
    {
        return $this->pool->delete($key);
    }

    public function deleteMultiple(array $keys): bool
    {
        return $this->pool->deleteMultiple($keys);
    }

    public function clear(): bool
    {
        return $this->pool->clear();
    }

    public function touch(string $key, int|float $ttl): bool
    {
        return $this->pool->touch($key, $ttl);
    }

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return $this->pool->increment($key, $step, $ttl);
    }

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return $this->pool->decrement($key, $step, $ttl);
    }

    public function lock(string $key, int|float $lease = 0): bool
    {
        return $this->pool->lock($key, $lease);
    }

    public function unlock(string $key): bool
    {
        return $this->pool->unlock($key);
    }

    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed
    {
        return $this->pool->remember($key, $compute, $ttl, $stale);
    }
}
