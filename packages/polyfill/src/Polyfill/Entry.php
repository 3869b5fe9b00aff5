<?php

declare(strict_types=1);

namespace Larder\Polyfill;

final class Entry
{
    /** The bytes of a key and an entry, in addition to the value. */
    private const OVERHEAD = 64;

    /** Of a rate limit with a sliding window, which has no value. */
    public ?Window $window = null;

    /** Times are those of Store::now(). An entry without a value and without a window is a lease. */
    public function __construct(
        public ?Encoded $value,
        public float $expires,
        public readonly int $version,
        public readonly float $stored,
        public readonly int $bytes,
    ) {}

    public static function bytesOf(string $key, ?Encoded $value): int
    {
        return \strlen($key) + self::OVERHEAD + ($value !== null ? $value->size : 0);
    }
}
