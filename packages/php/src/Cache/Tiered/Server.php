<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * The server that all hosts share: Valkey or Redis. Keys and values are bytes, times milliseconds, 0: no limit. Each
 * method is one round trip and throws ServerFailure where the server does not do it, ServerUnreachable where it does not
 * answer: after that it may not be asked for a second.
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

    /** As write() of one, where there is no such key; else false. */
    public function add(string $key, string $value, int $milliseconds): bool;

    /**
     * @param list<string> $keys
     * @return int how many there were
     */
    public function delete(array $keys): int;

    /** Deletes a key where it has that value. */
    public function deleteIf(string $key, string $value): bool;

    public function expire(string $key, int $milliseconds): bool;

    /** The sum, or null: there is something else. A missing key is made from 0, to last so long. */
    public function increment(string $key, int $step, int $milliseconds): ?int;

    /** Deletes all keys that begin with $prefix, in steps, so that the server goes on. */
    public function clear(string $prefix): void;
}
