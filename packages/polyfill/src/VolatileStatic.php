<?php

declare(strict_types=1);

namespace Larder;

/** Has no effect in the polyfill: the property lasts only until the request ends. */
#[\Attribute(\Attribute::TARGET_PROPERTY | \Attribute::TARGET_METHOD | \Attribute::TARGET_FUNCTION)]
final class VolatileStatic
{
    public function __construct(
        /** Time to live of a published value, in seconds. 0 means no limit. */
        public readonly int $ttl = 0,
        public readonly CacheStrategy $strategy = CacheStrategy::Immediate,
    ) {}
}
