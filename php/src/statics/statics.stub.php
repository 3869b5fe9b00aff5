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
        /** An assignment, and a change of an array, at the next safe point of the program. */
        case Immediate = 0;
        /** At the end of the request, if it differs then; also where an object inside has changed. */
        case Tracking = 1;
    }

    /**
     * The static property, or all static variables of the method or function, keep their value beyond the request, in
     * VolatileCache's store: it may be evicted. A request begins with the value that was published last or, where there
     * is none, with the declared default. Not in anonymous classes.
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
     * The same in PinnedCache's store: it stays until it is deleted. Each assignment, and each change of an array, is
     * published at the next safe point; where that fails, a StaticCacheException is thrown there.
     * @strict-properties
     */
    final class PinnedStatic
    {
        public function __construct() {}
    }
}
