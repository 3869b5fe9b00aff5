<?php

/**
 * The classes of RFC "Add bundled user_cache extension" (July 2026) on top of Larder: larder.compat=user_cache.
 * user_cache_arginfo.h is made from this file (`make php-arginfo`).
 *
 * A pool is the Larder\Pool of the same name and has its entries. The size is larder.volatile_size. Differences from the RFC:
 * - Times may have a fraction.
 * - A lock does not keep other processes from writing, deleting or clearing.
 * - Entries that were cleared count in CacheStatus until the store needs their memory.
 * - Without a store, remember() and the pools still work, but nothing is kept.
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

        /** Memory of entries that were replaced, deleted or cleared. It cannot be used again yet. */
        public function getWastedMemory(): int {}

        /** Also counts the records of pools, and entries that were cleared. */
        public function getEntryCount(): int {}

        public function getEntryCapacity(): int {}

        /**
         * Always 0.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getTombstoneCount(): int {}

        /** 0: Larder never drops everything. */
        public function getExpungeCount(): int {}

        public function getEvictionCount(): int {}

        public function getStoreFailureCount(): int {}

        /** The number of processes and threads that use the store. */
        public function getGraphPinSlotsInUse(): int {}

        /**
         * Always 0: values in use are not counted one by one.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getGraphPinnedReferences(): int {}

        /** The number of processes that died. Their values in use were released. */
        public function getDeadPinOwnersReclaimed(): int {}

        /**
         * Always 0: values of dead processes are not counted one by one.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getDeadPinsStripped(): int {}

        /** Also counts reads of pools' records: one for each use of a pool. */
        public function getHitCount(): int {}

        public function getMissCount(): int {}

        /**
         * Always 0: keys are not shared.
         * @implementation-alias UserCache\CacheStatus::getExpungeCount
         */
        public function getInternedKeyCount(): int {}
    }

    /**
     * The state of a pool; see Larder\PoolInfo.
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
        /** The pools that this request has asked for, by name. */
        private static array $pools = [];

        /** True if this request has asked for the pool. */
        public static function hasPool(string $pool): bool {}

        /** Returns the pool of this name. Within a request, it is always the same object. */
        public static function getPool(string $pool): Cache {}

        /** Removes all entries of the pool, and removes it from getPools(). An object of this pool can still be used. */
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
         * Returns null if the cache is off or full. Throws a ValueError if the entry is not an int, and an ArithmeticError if
         * the sum would be too large for an int.
         */
        public function increment(string $key, int $step = 1, int|float $ttl = 0): ?int {}

        public function decrement(string $key, int $step = 1, int|float $ttl = 0): ?int {}

        /** @implementation-alias Larder\Pool::get */
        public function fetch(string $key, mixed $default = null): mixed {}

        /** $default is the value of each missing key. */
        public function fetchMultiple(array $keys, mixed $default = null): array {}

        /**
         * Returns true, also if there was no entry. Returns false only if the part of the store that has this key is busy.
         */
        public function delete(string $key): bool {}

        public function deleteMultiple(array $keys): bool {}

        public function clear(): bool {}

        /** @implementation-alias Larder\Pool::has */
        public function has(string $key): bool {}

        /** @implementation-alias Larder\Pool::lock */
        public function lock(string $key, int|float $lease = 0): bool {}

        /** @implementation-alias Larder\Pool::unlock */
        public function unlock(string $key): bool {}

        /** $callback receives the key as its argument. */
        public function remember(string $key, callable $callback, int|float $ttl = 0): mixed {}

        /** Walks the whole store. */
        public function getPoolStatus(): CachePoolStatus {}
    }
}
