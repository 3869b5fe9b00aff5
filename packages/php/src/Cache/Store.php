<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A place where the caches of this library keep their entries.
 *
 * The methods behave like those of the extension's Larder\Pool. A key has 1 to about 65,000 bytes of any kind. Times are in seconds;
 * fractions are allowed, and 0 means no limit. If the store is full, a write returns false. Wrong arguments throw before anything changes:
 * a ValueError for an invalid key or time, a TypeError for a value that cannot be stored.
 */
interface Store
{
    /**
     * @template D
     * @param D $default
     * @return mixed|D
     */
    public function get(string $key, mixed $default = null): mixed;

    /**
     * Returns all keys with their values. A missing key gets its value in $default, or null.
     *
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array;

    public function set(string $key, mixed $value, int|float $ttl = 0): bool;

    /** @param array<array-key, mixed> $values */
    public function setMultiple(array $values, int|float $ttl = 0): bool;

    /** Stores a value if get() would find none. Otherwise returns false. */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool;

    /** Returns true if there is an entry, even if get() cannot restore its value. */
    public function has(string $key): bool;

    /** Returns true if there was an entry. */
    public function delete(string $key): bool;

    /** @param array<array-key, int|string> $keys */
    public function deleteMultiple(array $keys): bool;

    public function clear(): bool;

    /** Gives an entry a new time to live from now. Returns false if there is no entry. */
    public function touch(string $key, int|float $ttl): bool;

    /** Adds $step to an int, or to 0 if there is no entry, and returns the sum. Returns false if the value or the sum is no int. */
    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false;

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false;

    /** Reserves (locks) a key without waiting. The lock ends with unlock(), after $lease seconds, or with the request or process. */
    public function lock(string $key, int|float $lease = 0): bool;

    public function unlock(string $key): bool;

    /**
     * Returns the value of an entry. If there is no entry, one process calls $compute() and stores the result, while other processes wait.
     *
     * @template T
     * @param callable(): T $compute
     * @return T
     */
    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed;
}
