<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A stored value with its tags or other data, as an array, which PHP reads in place. A program's own value that looks like an envelope is
 * wrapped, too. So readers never mistake such a value for an envelope.
 *
 * @internal
 */
final class Envelope
{
    /** The first element of an envelope. The number spells "larder" in ASCII, and is compared faster than a string. */
    public const MARK = 0x6c6172646572;
    public const VALUE = 1;
    /** The index of the tags: an array from each tag's key to the tag's number when the entry was stored. */
    public const TAGS = 2;
    /** The index of the array with further data of the caller, such as Symfony's metadata. */
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
