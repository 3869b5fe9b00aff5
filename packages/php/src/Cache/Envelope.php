<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A stored value together with its tags or other data. It is a list, because arrays are read in shared memory, and elements of a list are
 * found fast. A plain array that looks like an envelope is put into an envelope, too.
 *
 * @internal
 */
final class Envelope
{
    /** The first element, by which an envelope is recognized: "larder" as a number, because numbers are compared fast. */
    public const MARK = 0x6c6172646572;
    public const VALUE = 1;
    /** Key of a tag in the store => the number that the tag had when this entry was stored. */
    public const TAGS = 2;
    /** Other data that is stored with the value. */
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
