<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * How values lie on the server. An int is its decimal digits, so that INCRBY works; a string is its bytes, so that other
 * languages can read and write it. All else, and strings that would be taken for something else, is one byte that says
 * how, and then the text of PHP's serializer (1) or igbinary's (2).
 *
 * @internal
 */
final class Format
{
    private const SERIALIZE = "\x01";
    private const IGBINARY = "\x02";

    public static function encode(mixed $value, bool $igbinary): string
    {
        if (\is_int($value)) {
            return (string) $value;
        }
        if (\is_string($value) && !self::isInt($value) && ($value === '' || $value[0] > self::IGBINARY)) {
            return $value;
        }
        if ($igbinary) {
            return self::IGBINARY . \igbinary_serialize($value);
        }
        return self::SERIALIZE . serialize($value);
    }

    /** False: it cannot be read here, and $value stays as it is. */
    public static function decode(string $bytes, mixed &$value): bool
    {
        if ($bytes === '' || $bytes[0] > self::IGBINARY) {
            $value = self::isInt($bytes) ? (int) $bytes : $bytes;
            return true;
        }
        if ($bytes[0] === self::IGBINARY) {
            if (!\function_exists('igbinary_unserialize')) {
                return false;
            }
            $decoded = @\igbinary_unserialize(substr($bytes, 1));
            $done = ($decoded ?? false) !== false || \in_array($bytes, [self::IGBINARY . \igbinary_serialize(null), self::IGBINARY . \igbinary_serialize(false)], true);
        } else {
            $decoded = $bytes[0] === self::SERIALIZE ? @unserialize(substr($bytes, 1)) : false;
            $done = $decoded !== false || $bytes === self::SERIALIZE . 'b:0;';
        }
        if ($done) {
            $value = $decoded;
        }
        return $done;
    }

    private static function isInt(string $bytes): bool
    {
        return \strlen($bytes) < 21 && (string) (int) $bytes === $bytes;
    }
}
