<?php

declare(strict_types=1);

namespace Bench;

/**
 * Makes digests, by which fetched values are checked. sample() reads a few evenly spread elements, so its time hardly depends on the
 * payload: a request, too, may need only a few of many settings. whole() reads all elements.
 */
final class Digest
{
    private const SAMPLE = 4;

    public static function sample(mixed $value): string
    {
        return hash('xxh128', self::text($value, self::SAMPLE));
    }

    public static function whole(mixed $value): string
    {
        return hash('xxh128', self::text($value, PHP_INT_MAX));
    }

    /**
     * Describes up to $most evenly spaced elements of a value as a text. Describes a nested array or object in the same way, with half as
     * many elements.
     */
    private static function text(mixed $value, int $most): string
    {
        if (is_string($value)) {
            $length = strlen($value);
            return "$length:" . ($length > 16 * $most ? self::slices($value, $most) : $value);
        }
        $text = '';
        if (is_object($value)) {
            $text = $value::class;
            $value = get_object_vars($value);
        }
        if (!is_array($value)) {
            return get_debug_type($value) . '=' . json_encode($value, JSON_PRESERVE_ZERO_FRACTION) . ';';
        }
        $count = count($value);
        $text .= "[$count]";
        $step = max(1, intdiv($count, $most));
        $fewer = max(1, intdiv($most, 2));
        if ($step === 1) {
            foreach ($value as $key => $element) {
                $text .= "$key>" . self::text($element, $fewer);
            }
            return $text;
        }
        for ($i = 0; $i < $count; $i += $step) {
            foreach (array_slice($value, $i, 1, true) as $key => $element) {
                $text .= "$key>" . self::text($element, $fewer);
            }
        }
        return $text;
    }

    private static function slices(string $value, int $count): string
    {
        $text = '';
        for ($i = 0, $step = intdiv(strlen($value), $count); $i < $count; $i++) {
            $text .= substr($value, $i * $step, 16);
        }
        return $text;
    }
}
