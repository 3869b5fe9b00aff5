<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A place where the caches of this library keep their entries.
 *
 * The methods behave like those of Larder\Pool, a class of the extension. A key has 1 to about 65,000 bytes of any kind. Times are in
 * seconds; fractions are allowed, and 0 means no limit. If the store is full, a write returns false. Wrong arguments throw before anything
 * changes: a ValueError for an invalid key or time, a TypeError for a value that cannot be stored.
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
     * Returns all keys with their values. A missing key gets its value from the array $default, or null if $default does not have it.
     *
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array;

    public function set(string $key, mixed $value, int|float $ttl = 0): bool;

    /** @param array<array-key, mixed> $values */
    public function setMultiple(array $values, int|float $ttl = 0): bool;

    /**
     * Stores a value if get() would find none, and returns false otherwise. An entry whose value this process cannot restore counts as
     * missing.
     */
    public function add(string $key, mixed $value, int|float $ttl = 0): bool;

    /** Returns true if there is an entry, even if a hook throws when get() restores its value. */
    public function has(string $key): bool;

    /** Returns true if there was an entry. */
    public function delete(string $key): bool;

    /** @param array<array-key, int|string> $keys */
    public function deleteMultiple(array $keys): bool;

    public function clear(): bool;

    /** Gives an entry a new time to live, which begins now. Returns false if there is no entry. */
    public function touch(string $key, int|float $ttl): bool;

    /**
     * Adds $step to an int, and returns the sum. A missing entry counts as 0. Returns false if the entry is not an int, or the sum
     * overflows.
     */
    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false;

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false;

    /**
     * Reserves (locks) a key without waiting. The lock ends with unlock(), after $lease seconds, or when the request or the process ends.
     */
    public function lock(string $key, int|float $lease = 0): bool;

    public function unlock(string $key): bool;

    /**
     * Returns the value of an entry. If there is none, one process calls $compute() and stores the result. Other processes wait for it.
     *
     * @template T
     * @param callable(): T $compute
     * @return T
     */
    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed;
}
