<?php

/**
 * Static state that outlives requests. statics_arginfo.h is made from this file (`make php-arginfo`). The rules are in
 * docs/statics.md.
 *
 * @generate-class-entries
 */

namespace Larder {

    /** When a changed static is published. */
    enum CacheStrategy: int
    {
        /** Publish an assignment, or a change of an array, at the next safe point of the program. */
        case Immediate = 0;
        /** Publish at the end of the request, if the value differs then, even inside an object. */
        case Tracking = 1;
    }

    /**
     * Keep the value of the static property, or of all static variables of the method or function, beyond the request. It lies in the store
     * of VolatileCache and may be evicted. A request begins with the value that was published last or, if there is none, with the declared
     * default. Not for anonymous classes.
     * @strict-properties
     */
    final class VolatileStatic
    {
        /** Seconds that a published value lives; 0: no limit. */
        public readonly int $ttl;
        public readonly CacheStrategy $strategy;

        public function __construct(int $ttl = 0, CacheStrategy $strategy = CacheStrategy::Immediate) {}
    }

    /**
     * Keep the value like VolatileStatic, but in the store of PinnedCache, where it stays until it is deleted. Each assignment, and each
     * change of an array, is published at the next safe point. If that fails, a StaticCacheException is thrown there.
     * @strict-properties
     */
    final class PinnedStatic
    {
        public function __construct() {}
    }
}
