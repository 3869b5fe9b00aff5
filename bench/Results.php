<?php

declare(strict_types=1);

namespace Bench;

/** bench/results.json: the figures of the last runs, one part for each benchmark. Documents take their figures from it. */
final class Results
{
    private const FILE = __DIR__ . '/results.json';

    /**
     * Returns true if the figures of a run may be kept: no option made it shorter or different. --module, --json and the options in $others
     * do not count.
     */
    public static function whole(array $options, string ...$others): bool
    {
        return array_diff(array_keys($options), ['module', 'json', ...$others]) === [];
    }

    /** Replaces one part and keeps the others. */
    public static function put(string $part, array $figures): void
    {
        $lock = fopen(__DIR__ . '/Results.php', 'r');
        flock($lock, LOCK_EX); // two benchmarks may end at the same time
        $all = self::all();
        $all[$part] = ['date' => date('Y-m-d'), 'machine' => self::machine(), ...$figures];
        ksort($all);
        file_put_contents(self::FILE, json_encode($all, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE) . "\n");
    }

    public static function all(): array
    {
        return is_file(self::FILE) ? json_decode((string) file_get_contents(self::FILE), true, 512, JSON_THROW_ON_ERROR) : [];
    }

    /** Rounds to significant digits, because further digits would not be reliable. */
    public static function round(float $figure, int $digits = 3): float|int
    {
        if ($figure == 0.0) {
            return 0;
        }
        $places = $digits - 1 - (int) floor(log10(abs($figure)));
        $rounded = round($figure, $places);
        return $places <= 0 ? (int) $rounded : $rounded;
    }

    private static function machine(): string
    {
        preg_match('/^model name\s*: (.*)$/m', (string) @file_get_contents('/proc/cpuinfo'), $model);
        $processors = preg_match_all('/^processor\s/m', (string) @file_get_contents('/proc/cpuinfo'));
        return sprintf('%s, %d processors, Linux %s, PHP %s', $model[1] ?? php_uname('m'), $processors, preg_replace('/^(\d+\.\d+).*/', '$1', php_uname('r')), PHP_VERSION);
    }
}
