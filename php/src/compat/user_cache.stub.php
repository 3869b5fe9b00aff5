<?php

/**
 * The classes of the RFC "Add bundled user_cache extension" (July 2026) on top of Larder; larder.compat=user_cache registers them. A pool has the
 * same entries as the Larder\Pool of the same name. larder.volatile_size is the size of the store.
 *
 * Differences from the RFC:
 * - Times may have a fraction.
 * - A lock does not keep other processes from writing, deleting or clearing.
 * - In a store that has or had more than 1,024 entries, CacheStatus still counts cleared entries, until the store needs their memory.
 * - If there is no store, remember() and the pools still work, but store nothing.
 *
 * @generate-class-entries
 */

namespace UserCache {

    enum CacheAvailability
    {
        case Available;
        case DisabledByIni;
        case DisabledBySapi;
        case UnavailableBySharedMemoryInitializationFailed;
        case UnavailableByBackendNotInitializedBeforeWorkerStartup;
        case UnavailableByBackendInitializedAfterWorkerStartup;
        case UnavailableByCgiFastCgiBoundary;
        case UnavailableByApacheBoundary;
        case UnavailableByLsapiBoundary;
        case UnavailableByUnknownReason;
    }

    /**
     * The state of the store that all pools share.
     * @strict-properties
     * @not-serializable
     */
    final class CacheStatus
    {
        private readonly CacheAvailability $availability;
        private readonly int $configuredMemory;
        private readonly int $sharedMemorySize;
        private readonly int $usedMemory;
        private readonly int $freeMemory;
        private readonly int $wastedMemory;
        private readonly int $entryCount;
        private readonly int $entryCapacity;
        private readonly int $evictionCount;
        private readonly int $storeFailureCount;
        private readonly int $slotsInUse;
        private readonly int $deadSlotsReclaimed;
        private readonly int $hitCount;
        private readonly int $missCount;
        private readonly int $none;

        private function __construct() {}

        public function getAvailability(): CacheAvailability {}

        public function getConfiguredMemory(): int {}

        public function getSharedMemorySize(): int {}

        public function getUsedMemory(): int {}

        public function getFreeMemory(): int {}

        /** The number of bytes that cannot be reused yet: the memory of replaced, deleted or cleared entries. */
        public function getWastedMemory(): int {}

        /**
         * The number of entries, including the records of pools. If the store has, or ever had, more than 1,024 entries, it also includes cleared
         * entries.
         */
        public function getEntryCount(): int {}

        public function getEntryCapacity(): int {}

        /**
         * Always 0.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getTombstoneCount(): int {}

        /** Always 0: Larder never drops all entries in one step. */
        public function getExpungeCount(): int {}

        public function getEvictionCount(): int {}

        public function getStoreFailureCount(): int {}

        /** The number of processes and threads that use the store. */
        public function getGraphPinSlotsInUse(): int {}

        /**
         * Always 0: Larder does not count the values in use.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getGraphPinnedReferences(): int {}

        /** The number of processes that died while they used the store. Larder has released the values that they used. */
        public function getDeadPinOwnersReclaimed(): int {}

        /**
         * Always 0: Larder does not count the values that dead processes had in use.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getDeadPinsStripped(): int {}

        /** The number of hits. Each use of a pool adds one more hit, because Larder reads the pool's record first. */
        public function getHitCount(): int {}

        public function getMissCount(): int {}

        /**
         * Always 0: each entry has its own copy of its key.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getInternedKeyCount(): int {}
    }

    /**
     * The state of a pool. Larder\PoolInfo describes it.
     * @strict-properties
     * @not-serializable
     */
    final class CachePoolStatus
    {
        private readonly string $poolName;
        private readonly int $entryCount;
        private readonly array $entryKeys;
        private readonly int $usedMemory;
        private readonly int $hitCount;
        private readonly int $missCount;

        private function __construct() {}

        public function getPoolName(): string {}

        public function getEntryCount(): int {}

        public function getEntryKeys(): array {}

        public function getUsedMemory(): int {}

        public function getHitCount(): int {}

        public function getMissCount(): int {}
    }

    /** @not-serializable */
    final class Cache
    {
        /** The pools for which this request has called getPool(). The keys of the array are the names of the pools. */
        private static array $pools = [];

        /** True if this request has called getPool() for the pool. */
        public static function hasPool(string $pool): bool {}

        /** Returns the pool of this name. Within a request, all calls with this name return the same object. */
        public static function getPool(string $pool): Cache {}

        /** Removes all entries of the pool. getPools() no longer returns the pool. Existing objects of the pool can still be used. */
        public static function deletePool(string $pool): bool {}

        public static function getPools(): array {}

        public static function getStatus(): CacheStatus {}

        private function __construct() {}

        /** @implementation-alias Larder\Pool::set */
        public function store(string $key, mixed $value, int|float $ttl = 0): bool {}

        /** @implementation-alias Larder\Pool::add */
        public function add(string $key, mixed $value, int|float $ttl = 0): bool {}

        /** @implementation-alias Larder\Pool::setMultiple */
        public function storeMultiple(array $values, int|float $ttl = 0): bool {}

        /**
         * Adds $step to an int, and returns the sum. Returns null if the cache is off or full. Throws a ValueError if the entry is not an
         * int, and an ArithmeticError if the sum is too large.
         */
        public function increment(string $key, int $step = 1, int|float $ttl = 0): ?int {}

        public function decrement(string $key, int $step = 1, int|float $ttl = 0): ?int {}

        /** @implementation-alias Larder\Pool::get */
        public function fetch(string $key, mixed $default = null): mixed {}

        /** Returns an array with all $keys and their values. The value of a key without an entry is $default. */
        public function fetchMultiple(array $keys, mixed $default = null): array {}

        /** Deletes the entry of $key. If there was no entry, also returns true. Returns false only if the key's part of the store is busy. */
        public function delete(string $key): bool {}

        public function deleteMultiple(array $keys): bool {}

        public function clear(): bool {}

        /** @implementation-alias Larder\Pool::has */
        public function has(string $key): bool {}

        /** @implementation-alias Larder\Pool::lock */
        public function lock(string $key, int|float $lease = 0): bool {}

        /** @implementation-alias Larder\Pool::unlock */
        public function unlock(string $key): bool {}

        /** Returns the value of the key. If there is none, calls $callback with the key, and stores and returns the result. */
        public function remember(string $key, callable $callback, int|float $ttl = 0): mixed {}

        /** Returns the state of the pool. This reads all entries of the store, not only those of the pool. */
        public function getPoolStatus(): CachePoolStatus {}
    }
}
