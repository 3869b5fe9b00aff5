<?php

/**
 * Static properties and variables that outlive requests; see docs/statics.md. The generator of PHP 8.2 cannot read attributes, so they are comments
 * here. attach.c registers them, and `make docs` writes them into the stubs for IDEs.
 *
 * @generate-class-entries
 */

namespace Larder {

    /** The time at which a changed static is published. */
    enum CacheStrategy: int
    {
        /** Publish an assignment, or a change of an array, at the next safe point of the program. */
        case Immediate = 0;
        /** Publish at the end of the request, if the value has changed. Changes inside objects count, too. */
        case Tracking = 1;
    }

    /**
     * Keep the value of the static property, or of all static variables of the method or function, beyond the request, in the store of VolatileCache.
     * It may be evicted. A request begins with the value that was published last, or with the declared default. Cannot be applied in an anonymous
     * class.
     *
     * @strict-properties
     */
    // #[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
    final class VolatileStatic
    {
        /** Time to live of a published value, in seconds. 0 means no limit. */
        public readonly int $ttl;
        public readonly CacheStrategy $strategy;

        public function __construct(int $ttl = 0, CacheStrategy $strategy = CacheStrategy::Immediate) {}
    }

    /**
     * Keep the value beyond the request, as VolatileStatic does, but in the store of PinnedCache, until it is deleted. Each assignment, and each
     * change of an array, is published at the next safe point. If that fails, the safe point throws a StaticCacheException.
     *
     * @strict-properties
     */
    // #[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
    final class PinnedStatic
    {
        public function __construct() {}
    }
}
