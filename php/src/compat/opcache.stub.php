<?php

/**
 * The classes of the RFC "OPcache Static Cache" 2.0 on top of Larder; larder.compat=opcache registers them. The attributes of this RFC are in
 * ../statics/opcache.stub.php.
 *
 * These classes are Larder's classes under other names, and use the same stores. OPcache\VolatileCache has the entries of Larder\VolatileCache, and
 * OPcache\PinnedCache has those of Larder\PinnedCache. As in Larder, times may have a fraction, and wrong arguments throw.
 *
 * @generate-class-entries
 */

namespace OPcache {

    enum CacheStoreType
    {
        case NotFound;
        case Scalar;
        case SharedGraph;
        case OPcacheSerialized;
        case PHPSerialized;
    }

    class StaticCacheException extends \Exception
    {
    }

    /**
     * @strict-properties
     */
    final class StaticCacheInfo
    {
        /** @implementation-alias Larder\StaticCacheInfo::__construct */
        private function __construct() {}

        public readonly bool $enabled;
        public readonly bool $available;
        public readonly bool $startup_failed;
        public readonly bool $backend_initialized;
        public readonly int $configured_memory;
        public readonly int $shared_memory;
        public readonly int $entry_count;
        public readonly int $segment_count;
        public readonly string $shared_model;
        public readonly ?string $failure_reason;
    }

    /**
     * Larder\VolatileCache.
     * @strict-properties
     */
    final class VolatileCache
    {
        /** @implementation-alias Larder\VolatileCache::__construct */
        private function __construct() {}

        /** @implementation-alias Larder\VolatileCache::get */
        public static function get(string $key, mixed $default = null): mixed {}

        /** @implementation-alias Larder\VolatileCache::getMultiple */
        public static function getMultiple(array $keys, ?array $default = null): array|false {}

        /** @implementation-alias Larder\VolatileCache::set */
        public static function set(string $key, mixed $value, int|float $ttl = 0): bool {}

        /** @implementation-alias Larder\VolatileCache::setMultiple */
        public static function setMultiple(array $values, int|float $ttl = 0): bool {}

        /** @implementation-alias Larder\VolatileCache::has */
        public static function has(string $key): bool {}

        /** @implementation-alias Larder\VolatileCache::delete */
        public static function delete(string $key_or_class): bool {}

        /** @implementation-alias Larder\VolatileCache::deleteMultiple */
        public static function deleteMultiple(array $keys): bool {}

        /** @implementation-alias Larder\VolatileCache::clear */
        public static function clear(): bool {}

        /** @implementation-alias Larder\VolatileCache::lock */
        public static function lock(string $key, int|float $lease = 0): bool {}

        /** @implementation-alias Larder\VolatileCache::unlock */
        public static function unlock(string $key): bool {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}
    }

    /**
     * Larder\PinnedCache.
     * @strict-properties
     */
    final class PinnedCache
    {
        /** @implementation-alias Larder\PinnedCache::__construct */
        private function __construct() {}

        /** @implementation-alias Larder\PinnedCache::get */
        public static function get(string $key, mixed $default = null): mixed {}

        /** @implementation-alias Larder\PinnedCache::getMultiple */
        public static function getMultiple(array $keys, ?array $default = null): array|false {}

        /** @implementation-alias Larder\PinnedCache::set */
        public static function set(string $key, mixed $value): bool {}

        /** @implementation-alias Larder\PinnedCache::setMultiple */
        public static function setMultiple(array $values): bool {}

        /** @implementation-alias Larder\PinnedCache::has */
        public static function has(string $key): bool {}

        /** @implementation-alias Larder\PinnedCache::delete */
        public static function delete(string $key_or_class): bool {}

        /** @implementation-alias Larder\PinnedCache::deleteMultiple */
        public static function deleteMultiple(array $keys): bool {}

        /** @implementation-alias Larder\PinnedCache::clear */
        public static function clear(): bool {}

        /** @implementation-alias Larder\PinnedCache::lock */
        public static function lock(string $key, int|float $lease = 0): bool {}

        /** @implementation-alias Larder\PinnedCache::unlock */
        public static function unlock(string $key): bool {}

        /** @implementation-alias Larder\PinnedCache::increment */
        public static function increment(string $key, int $step = 1): int|false {}

        /** @implementation-alias Larder\PinnedCache::decrement */
        public static function decrement(string $key, int $step = 1): int|false {}

        public static function getCacheStoreType(string $key_or_property, ?string $class_name = null): CacheStoreType {}

        public static function info(): StaticCacheInfo {}
    }
}
