<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Formats numbers, keys and messages for people. */
final class Text
{
    /**
     * Characters that a terminal executes or does not show: control characters, invisible format characters (such as the mark for text from
     * right to left), and line separators.
     */
    private const UNSEEN = '\p{Cc}\p{Cf}\p{Zl}\p{Zp}';

    public static function bytes(int|float $bytes): string
    {
        foreach (['B', 'K', 'M', 'G', 'T'] as $unit) {
            if ($bytes < 1024 || $unit === 'T') {
                break;
            }
            $bytes /= 1024;
        }
        return ($unit === 'B' || $bytes >= 100 ? number_format($bytes, 0, '.', '') : number_format($bytes, 1, '.', '')) . ($unit === 'B' ? '' : $unit);
    }

    public static function seconds(?float $seconds): string
    {
        return match (true) {
            $seconds === null => '-',
            $seconds < 60 => number_format($seconds, 1, '.', '') . 's',
            $seconds < 3600 => intdiv((int) $seconds, 60) . 'm' . (int) $seconds % 60 . 's',
            $seconds < 86400 => intdiv((int) $seconds, 3600) . 'h' . intdiv((int) $seconds % 3600, 60) . 'm',
            default => intdiv((int) $seconds, 86400) . 'd' . intdiv((int) $seconds % 86400, 3600) . 'h',
        };
    }

    public static function number(int|float $number): string
    {
        return number_format($number, 0, '.', ',');
    }

    /** Formats a count with its noun: "1 entry", "2 entries". $many is the plural, by default $one with an s. */
    public static function count(int $number, string $one, ?string $many = null): string
    {
        return self::number($number) . ' ' . (abs($number) === 1 ? $one : $many ?? "{$one}s");
    }

    /** Formats a number with at most seven characters, rounded if necessary. */
    public static function short(int|float $number): string
    {
        foreach (['', 'k', 'M', 'G', 'T'] as $unit) {
            if ($number < ($unit === '' ? 99999.5 : 9999.5) || $unit === 'T') {
                break;
            }
            $number /= 1000;
        }
        return ($unit === '' ? self::number($number) : number_format($number, $number < 99.95 ? 1 : 0, '.', '')) . $unit;
    }

    public static function percent(int|float $part, int|float $all): string
    {
        return $all > 0 ? number_format(100 * $part / $all, 1, '.', '') . '%' : '-';
    }

    /**
     * Writes control characters, invisible characters and invalid UTF-8 in a key as \xNN, and doubles backslashes. unkey() restores the
     * key.
     */
    public static function key(string $key): string
    {
        $escape = fn(array $m): string => $m[0] === '\\' ? '\\\\' : self::hex($m[0]);
        return preg_replace_callback('/[\\\\' . self::UNSEEN . ']/u', $escape, $key)
            ?? (string) preg_replace_callback('/[\x00-\x1f\x7f-\xff\\\\]/', $escape, $key); // the key is not valid UTF-8
    }

    /** Escapes a message, so that a terminal executes no part of it. Backslashes do not change. */
    public static function message(string $text): string
    {
        return str_replace('\\\\', '\\', self::key($text));
    }

    /** Escapes each line of a text, as message() does. Line ends do not change. */
    public static function lines(string $text): string
    {
        return implode("\n", array_map(self::message(...), explode("\n", $text)));
    }

    /** Escapes a text, so that a terminal executes no part of it. Keeps line ends, tabs, and the escapes of key(). */
    public static function shown(string $text): string
    {
        if (preg_match('/(?![\n\t])[' . self::UNSEEN . ']/u', $text) === 0) {
            return $text; // the text is valid UTF-8, and has no characters to escape
        }
        return implode("\t", array_map(self::lines(...), explode("\t", $text)));
    }

    /** Writes control characters and invisible characters in a JSON text as \uNNNN. */
    public static function json(string $json): string
    {
        $escape = fn(array $m): string => $m[0] === "\x7f" ? '\u007f' : trim((string) json_encode($m[0]), '"');
        return (string) preg_replace_callback('/(?!\n)[' . self::UNSEEN . ']/u', $escape, $json);
    }

    private static function hex(string $bytes): string
    {
        return implode('', array_map(fn(string $byte): string => sprintf('\x%02x', ord($byte)), str_split($bytes)));
    }

    /** Restores a key that key() has escaped. */
    public static function unkey(string $text): string
    {
        return (string) preg_replace_callback('/\\\\(\\\\|x([0-9a-fA-F]{2}))/', fn(array $m): string => isset($m[2]) ? chr((int) hexdec($m[2])) : '\\', $text);
    }

    /**
     * @param list<string> $head names of the columns; ">" before a name marks a column of numbers
     * @param list<list<string>> $rows
     * @param int $gap columns between two cells
     */
    public static function table(array $head, array $rows, int $gap = 2): string
    {
        $right = array_map(fn(string $name): bool => str_starts_with($name, '>'), $head);
        $rows = [array_map(fn(string $name): string => ltrim($name, '>'), $head), ...$rows];
        $widths = array_map(fn(int $i): int => max(array_map(self::width(...), array_column($rows, $i))), array_keys($head));
        $lines = '';
        foreach ($rows as $row) {
            $cells = [];
            foreach ($row as $i => $cell) {
                $pad = str_repeat(' ', $widths[$i] - self::width($cell));
                $cells[] = $right[$i] ? $pad . $cell : $cell . $pad;
            }
            $lines .= rtrim(implode(str_repeat(' ', $gap), $cells)) . "\n";
        }
        return $lines;
    }

    /** Cuts a line to the width of a terminal, and marks the cut with ">". */
    public static function cut(string $line, int $columns): string
    {
        if (self::width($line) <= $columns) {
            return $line;
        }
        preg_match_all('/./us', $line, $characters);
        $kept = '';
        for ($width = 0; ($width += self::width($character = array_shift($characters[0]))) < $columns;) {
            $kept .= $character;
        }
        return "$kept>";
    }

    /** Returns the columns of a text in a terminal: two for ideographs, Kana, Hangul and emoji. */
    public static function width(string $text): int
    {
        return (int) preg_match_all('/[^\p{Mn}\p{Me}]/u', $text)
            + (int) preg_match_all('/[\x{1100}-\x{115f}\x{2e80}-\x{303e}\x{3041}-\x{a4cf}\x{a960}-\x{a97f}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}\x{fe30}-\x{fe6f}\x{ff00}-\x{ff60}\x{ffe0}-\x{ffe6}\x{1f300}-\x{1f64f}\x{1f680}-\x{1faff}\x{20000}-\x{3fffd}]/u', $text);
    }
}
