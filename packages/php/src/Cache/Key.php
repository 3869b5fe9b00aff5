<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Exception\InvalidArgument;

/**
 * The rules of PSR-6 and PSR-16 for keys and tags. The library's own keys begin with forbidden characters: "@" for tags, "/" for levels of
 * a hierarchy.
 *
 * @internal
 */
final class Key
{
    public const RESERVED = '{}()/\@:';
    /** The maximum length in bytes: the limit of the extension, minus the bytes that a pool adds. */
    public const MAX = 65000;

    public static function check(mixed $key, string $what = 'A cache key'): string
    {
        if (!\is_string($key)) {
            throw new InvalidArgument(\sprintf('%s must be a string, %s given', $what, get_debug_type($key)));
        }
        if ($key === '' || \strlen($key) > self::MAX) {
            throw new InvalidArgument(\sprintf('%s must have 1 to %d bytes, %d given', $what, self::MAX, \strlen($key)));
        }
        if (strpbrk($key, self::RESERVED) !== false) {
            throw new InvalidArgument(\sprintf('%s must have none of the characters %s: "%s"', $what, self::RESERVED, $key));
        }
        return $key;
    }

    /**
     * @param iterable<mixed> $keys
     * @return list<string>
     */
    public static function checkAll(iterable $keys, string $what = 'A cache key'): array
    {
        $checked = [];
        foreach ($keys as $key) {
            $checked[] = self::check($key, $what);
        }
        return $checked;
    }
}
