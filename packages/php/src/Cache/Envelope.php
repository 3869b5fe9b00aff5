<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A stored value together with its tags or other data. It is a list, because arrays are read in shared memory, and elements of a list
 * are found fast. A plain array that looks like an envelope is put into one, too.
 *
 * @internal
 */
final class Envelope
{
    /** The first element, by which an envelope is recognized: "larder" as a number, because numbers are compared fast. */
    public const MARK = 0x6c6172646572;
    public const VALUE = 1;
    /** The numbers that the entry's tags had when it was stored, by the tags' keys in the store. */
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
