<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * The stored form of a value with tags or other data: a list, because arrays are read in place in shared memory, and reading an element
 * of a list is fast. A plain array that looks like an envelope is wrapped, too.
 *
 * @internal
 */
final class Envelope
{
    /** The first element, which marks an envelope: "larder" as a number, because comparing a number is fast. */
    public const MARK = 0x6c6172646572;
    public const VALUE = 1;
    /** The numbers of the entry's tags, by the tags' keys in the store. */
    public const TAGS = 2;
    /** Data that is stored beside the value. */
    public const MORE = 3;

    /**
     * @param array<string, int> $tags
     * @param array<string, mixed> $more
     */
    public static function wrap(mixed $value, array $tags = [], array $more = []): mixed
    {
        return $tags === [] && $more === [] && !self::is($value) ? $value : [self::MARK, $value, $tags, $more];
    }

    /**
     * @phpstan-assert-if-true array{int, mixed, array<string, int>, array<string, mixed>} $stored
     */
    public static function is(mixed $stored): bool
    {
        return \is_array($stored) && ($stored[0] ?? null) === self::MARK;
    }
}
