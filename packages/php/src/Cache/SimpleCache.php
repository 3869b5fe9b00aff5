<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Exception\InvalidArgument;
use Larder\Cache\Tiered\ServerTrouble;
use Larder\Cache\Tiered\TieredStore;
use Larder\Pool;
use Psr\SimpleCache\CacheInterface;

/**
 * A PSR-16 cache. Values are stored unchanged under their keys. get() checks the key only if it finds no value.
 */
final class SimpleCache implements CacheInterface
{
    private readonly Pool|Store $store;
    /** Where get() looks first: $store, or the local part of a tiered store. */
    private readonly Pool|Store $front;
    private ?\Throwable $error = null;

    /**
     * @param Store|string $store a store, or the name of a pool of the volatile store
     * @param int|float $lifetime seconds that an entry lives if it is stored without a time to live; 0: no limit
     */
    public function __construct(Store|string $store, private readonly int|float $lifetime = 0)
    {
        $store = \is_string($store) ? new VolatileStore($store) : $store;
        $this->store = $store instanceof VolatileStore ? $store->pool() : $store;
        $this->front = $store instanceof TieredStore ? $store->local() : $this->store;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        try {
            if ($default === null) { // the usual case, with as few steps as possible
                return $this->front->get($key) ?? $this->missed($key);
            }
        } catch (\Throwable) { // find() handles a hook's exception and an invalid key
        }
        return $this->find($key, $default);
    }

    /** For a key that $front does not have: returns the value from $store, or null if $store does not have the key either. */
    private function missed(string $key): mixed
    {
        if ($this->front !== $this->store) {
            return $this->find($key, null);
        }
        Key::check($key);
        return null;
    }

    private function find(string $key, mixed $default): mixed
    {
        try {
            $value = $this->front->get($key, $default);
            if ($value !== $default) {
                return $value;
            }
            if ($this->front !== $this->store) {
                $value = $this->store->get($key, $default);
            }
        } catch (\Throwable $error) { // a hook of the stored class has thrown, or the key is invalid
            $error instanceof ServerTrouble && throw $error;
            Key::check($key);
            $error instanceof \ValueError && $this->store->has($key); // throws if the store refuses the key
            $this->error = $error;
            return $default;
        }
        if ($value === $default) {
            Key::check($key);
        }
        return $value;
    }

    /** @param null|int|\DateInterval $ttl null: the lifetime that was given to the constructor */
    public function set(string $key, mixed $value, int|\DateInterval|null $ttl = null): bool
    {
        Key::check($key);
        $seconds = $ttl === null ? $this->lifetime : Ttl::seconds($ttl);
        if ($ttl !== null && $seconds <= 0) {
            return Removal::of($this->store, [$key]);
        }
        $this->error = null;
        try {
            return $this->store->set($key, $value, $seconds);
        } catch (\Throwable $error) {
            return $this->failed($error);
        }
    }

    public function delete(string $key): bool
    {
        Key::check($key);
        return Removal::of($this->store, [$key]);
    }

    public function clear(): bool
    {
        return $this->store->clear();
    }

    /**
     * @param iterable<mixed> $keys strings
     * @return iterable<string, mixed> an array, or a generator if PHP would turn some keys of the array into ints
     */
    public function getMultiple(iterable $keys, mixed $default = null): iterable
    {
        $keys = Key::checkAll($keys);
        $defaults = $default === null ? null : array_fill_keys($keys, $default);
        try {
            $found = $this->store->getMultiple($keys, $defaults);
        } catch (\Throwable $error) { // a hook of one of the values has thrown
            $error instanceof ServerTrouble && throw $error;
            $found = [];
            foreach ($keys as $key) {
                $found[$key] = $this->get($key, $default);
            }
        }
        foreach ($keys as $key) {
            if (is_numeric($key)) {
                return self::byStrings($found);
            }
        }
        /** @var array<string, mixed> $found */
        return $found;
    }

    /** @param iterable<mixed, mixed> $values by key; PHP turns a key of digits into an int */
    public function setMultiple(iterable $values, int|\DateInterval|null $ttl = null): bool
    {
        $checked = [];
        foreach ($values as $key => $value) {
            $checked[Key::check(\is_int($key) ? (string) $key : $key)] = $value;
        }
        $seconds = $ttl === null ? $this->lifetime : Ttl::seconds($ttl);
        if ($ttl !== null && $seconds <= 0) {
            return Removal::of($this->store, array_map(strval(...), array_keys($checked)));
        }
        $this->error = null;
        try {
            return $this->store->setMultiple($checked, $seconds);
        } catch (\Throwable $error) {
            return $this->failed($error);
        }
    }

    /** @param iterable<mixed> $keys strings */
    public function deleteMultiple(iterable $keys): bool
    {
        return Removal::of($this->store, Key::checkAll($keys));
    }

    public function has(string $key): bool
    {
        Key::check($key);
        return $this->find($key, Missing::Value) !== Missing::Value; // a value that cannot be restored counts as missing
    }

    /** Returns the exception of the last call. Returns null if this call has succeeded, or if the store was full or busy. */
    public function lastError(): ?\Throwable
    {
        return $this->error ?? TieredStore::errorOf($this->store);
    }

    /** Rethrows a ServerTrouble. Records any other error for lastError(). For a ValueError (a wrong time to live), throws InvalidArgument. */
    private function failed(\Throwable $error): false
    {
        $error instanceof ServerTrouble && throw $error;
        $this->error = $error;
        return $error instanceof \ValueError ? throw new InvalidArgument($error->getMessage(), 0, $error) : false;
    }

    /**
     * @param array<array-key, mixed> $found
     * @return \Generator<string, mixed>
     */
    private static function byStrings(array $found): \Generator
    {
        foreach ($found as $key => $value) {
            yield (string) $key => $value;
        }
    }
}
