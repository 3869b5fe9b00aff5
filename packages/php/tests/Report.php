<?php

declare(strict_types=1);

/** Counts the checks that pass and that fail in a test of a whole application. Prints the differences. */
final class Report
{
    public int $passed = 0;
    public int $failed = 0;

    public function same(string $what, mixed $expected, mixed $actual): void
    {
        if ($expected === $actual) {
            $this->passed++;
            return;
        }
        $this->failed++;
        echo "FAIL: $what\n";
        $texts = array_map(fn(mixed $value): string => is_string($value) ? $value : (string) json_encode($value, JSON_UNESCAPED_SLASHES), [$expected, $actual]);
        $at = max(0, strspn($texts[0] ^ $texts[1], "\0") - 60);
        foreach ($texts as $n => $text) {
            echo $n ? '  actual:   ' : '  expected: ', json_encode(substr($text, $at, 200), JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
        }
    }

    public function holds(string $what, bool $holds): void
    {
        $this->same($what, true, $holds);
    }
}
