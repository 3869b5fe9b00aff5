<?php

declare(strict_types=1);

namespace Larder\Polyfill;

final class Entry
{
    /** Of key and entry besides the value. */
    private const OVERHEAD = 64;

    /** Times are those of Store::now(). Without a value it is a lease. */
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
