<?php

/**
 * The attributes under the names of RFC "OPcache Static Cache" 2.0: larder.compat=opcache. opcache_arginfo.h is made
 * from this file (`make php-arginfo`).
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
