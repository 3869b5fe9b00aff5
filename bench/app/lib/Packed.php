<?php

declare(strict_types=1);

namespace Bench;

/** Values as text, for caches that take nothing else: by igbinary, which is faster, where it is loaded. */
final class Packed
{
    public static function pack(mixed $value): string
    {
        return function_exists('igbinary_serialize') ? igbinary_serialize($value) : serialize($value);
    }

    public static function unpack(string $text): mixed
    {
        return function_exists('igbinary_unserialize') ? igbinary_unserialize($text) : unserialize($text);
    }
}
