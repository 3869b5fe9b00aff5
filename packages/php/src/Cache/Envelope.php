<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * How a value is stored that has more to it than itself: as a list, because arrays are returned as they lie in shared
 * memory, and an element of a list is found at once. A plain array that could be taken for one is wrapped, too.
 *
 * @internal
 */
final class Envelope
{
    /** The first element, by which an envelope is told: "larder", a number because that is compared at once. */
    public const MARK = 0x6c6172646572;
    public const VALUE = 1;
    /** The numbers of the tags, by their keys in the store. */
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
