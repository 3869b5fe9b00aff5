<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * The server that all hosts share: Valkey or Redis. Times are in milliseconds; 0 means no limit. Each method except clear() makes one round
 * trip. A method that fails throws ServerFailure or, if there is no answer, ServerUnreachable.
 */
interface Server
{
    /**
     * Returns for each key its value and its remaining time to live (ms). Missing keys are left out.
     *
     * @param list<string> $keys
     * @return array<string, array{string, int}>
     */
    public function read(array $keys): array;

    /** @param array<string, string> $values the values, by key */
    public function write(array $values, int $milliseconds): void;

    /** Writes one key. Returns false if the key exists already. */
    public function add(string $key, string $value, int $milliseconds): bool;

    /**
     * @param list<string> $keys
     * @return int how many of the keys existed
     */
    public function delete(array $keys): int;

    /** Deletes a key if it has this value. */
    public function deleteIf(string $key, string $value): bool;

    public function expire(string $key, int $milliseconds): bool;

    /**
     * Adds $step to a number. A missing key begins at 0, with the time to live $milliseconds. Returns the sum, or null if the value is no
     * number.
     */
    public function increment(string $key, int $step, int $milliseconds): ?int;

    /** Deletes all keys with $prefix, in steps, so that the server can answer other calls meanwhile. */
    public function clear(string $prefix): void;
}
