<?php

/**
 * The attributes of the RFC "OPcache Static Cache" 2.0, under the RFC's names. They exist if larder.compat=opcache.
 *
 * @generate-class-entries
 */

namespace OPcache {

    enum CacheStrategy: int
    {
        case Immediate = 0;
        case Tracking = 1;
    }

    /**
     * @strict-properties
     */
    final class VolatileStatic
    {
        public readonly int $ttl;
        public readonly CacheStrategy $strategy;

        public function __construct(int $ttl = 0, CacheStrategy $strategy = CacheStrategy::Immediate) {}
    }

    /**
     * @strict-properties
     */
    final class PinnedStatic
    {
        /** @implementation-alias Larder\PinnedStatic::__construct */
        public function __construct() {}
    }
}
