<?php

declare(strict_types=1);

namespace Bench;

/** Converts values to text, for caches that store only text. Uses igbinary if loaded, which is faster than serialize(). */
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
