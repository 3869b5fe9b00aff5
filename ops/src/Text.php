<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Numbers and keys as people read them. */
final class Text
{
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

    public static function percent(int|float $part, int|float $all): string
    {
        return $all > 0 ? number_format(100 * $part / $all, 1, '.', '') . '%' : '-';
    }

    /** Nothing that a terminal takes for a command; what is no UTF-8 as \xNN. */
    public static function key(string $key): string
    {
        $key = (string) preg_replace_callback('/[\x00-\x1f\x7f\\\\]|\xc2[\x80-\x9f]/', fn(array $m): string => $m[0] === '\\' ? '\\\\' : self::hex($m[0]), $key);
        return preg_match('//u', $key) ? $key : (string) preg_replace_callback('/[\x80-\xff]/', fn(array $m): string => self::hex($m[0]), $key);
    }

    private static function hex(string $bytes): string
    {
        return implode('', array_map(fn(string $byte): string => sprintf('\x%02x', ord($byte)), str_split($bytes)));
    }

    /** What key() has made, as it was. */
    public static function unkey(string $text): string
    {
        return (string) preg_replace_callback('/\\\\(\\\\|x([0-9a-fA-F]{2}))/', fn(array $m): string => isset($m[2]) ? chr((int) hexdec($m[2])) : '\\', $text);
    }

    /**
     * @param list<string> $head names; of a column of numbers with ">" before it
     * @param list<list<string>> $rows
     */
    public static function table(array $head, array $rows): string
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
            $lines .= rtrim(implode('  ', $cells)) . "\n";
        }
        return $lines;
    }

    private static function width(string $text): int
    {
        return (int) preg_match_all('/./us', $text);
    }
}
