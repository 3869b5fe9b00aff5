<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A stored value with its tags or other data. An envelope is an array, not an object, because PHP reads arrays in shared memory without a
 * copy. If a value looks like an envelope, it is stored in an envelope, too.
 *
 * @internal
 */
final class Envelope
{
    /**
     * A stored array is an envelope if this is its first element. The number spells "larder" in ASCII. It is not a string, because numbers
     * are compared faster than strings.
     */
    public const MARK = 0x6c6172646572;
    public const VALUE = 1;
    /** The index of the array of tags: from the key of a tag to the number that the tag had when the entry was stored. */
    public const TAGS = 2;
    /** The index of the element with other data that is stored with the value. This element is an array. */
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
