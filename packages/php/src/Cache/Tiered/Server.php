<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * The server that all hosts share: Valkey or Redis. Keys and values are bytes. Times are in milliseconds; 0 means no limit. Each method is
 * one round trip. It throws ServerFailure if the server refuses, and ServerUnreachable if it does not answer. After that, no call is sent
 * for a second.
 */
interface Server
{
    /**
     * Returns the values with the milliseconds that they have left, by key. Missing keys are left out.
     *
     * @param list<string> $keys
     * @return array<string, array{string, int}>
     */
    public function read(array $keys): array;

    /** @param array<string, string> $values by key */
    public function write(array $values, int $milliseconds): void;

    /** Like write() for one key, but returns false if the key exists. */
    public function add(string $key, string $value, int $milliseconds): bool;

    /**
     * @param list<string> $keys
     * @return int how many there were
     */
    public function delete(array $keys): int;

    /** Deletes a key if it has this value. */
    public function deleteIf(string $key, string $value): bool;

    public function expire(string $key, int $milliseconds): bool;

    /**
     * Adds $step to the number of this key, and returns the sum. Returns null if the value of the key is not a number. A missing key
     * counts as 0, and gets a time to live of $milliseconds.
     */
    public function increment(string $key, int $step, int $milliseconds): ?int;

    /** Deletes all keys that begin with $prefix. Does it in steps, so that the server can answer other calls. */
    public function clear(string $prefix): void;
}
