<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * How a value is stored that has more to it than itself: as an array, because arrays are returned as they lie in shared
 * memory. A plain array that could be taken for one is wrapped, too.
 *
 * @internal
 */
final class Envelope
{
    /** Its element is the value, and by it an envelope is told. */
    public const VALUE = "\0larder";
    /** The numbers of the tags, by their keys in the store. */
    public const TAGS = "\0tags";

    /**
     * @param array<string, int> $tags
     * @param array<string, mixed> $more
     */
    public static function wrap(mixed $value, array $tags = [], array $more = []): mixed
    {
        if ($tags !== []) {
            $more[self::TAGS] = $tags;
        }
        if ($more === [] && !(\is_array($value) && \array_key_exists(self::VALUE, $value))) {
            return $value;
        }
        $more[self::VALUE] = $value;
        return $more;
    }

    /**
     * @phpstan-assert-if-true array<array-key, mixed> $stored
     */
    public static function is(mixed $stored): bool
    {
        return \is_array($stored) && \array_key_exists(self::VALUE, $stored);
    }

    /**
     * @param array<array-key, mixed> $envelope
     * @return array<string, int>
     */
    public static function tags(array $envelope): array
    {
        /** @var array<string, int> $tags written by wrap() */
        $tags = $envelope[self::TAGS] ?? [];
        return $tags;
    }
}
