<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Turns a text that another program may have chosen into one line of a log, without commands for a terminal.
 *
 * @internal
 */
final class Printable
{
    /** Writes invisible characters and invalid UTF-8 as \xNN. */
    public static function line(string $text): string
    {
        return preg_replace_callback('/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u', self::escape(...), $text)
            ?? (string) preg_replace_callback('/[\x00-\x1f\x7f-\xff]/', self::escape(...), $text);
    }

    /** @param array<string> $match */
    private static function escape(array $match): string
    {
        return implode('', array_map(static fn(string $byte): string => \sprintf('\x%02x', \ord($byte)), str_split($match[0])));
    }
}
