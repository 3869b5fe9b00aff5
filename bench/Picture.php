<?php

declare(strict_types=1);

namespace Bench;

/** Makes docs/chart.svg, the picture in README.md, and README's lines about fetches, from the results fetches and memory_of_workers. */
final class Picture
{
    public const FILE = 'docs/chart.svg';
    private const WIDTH = 760;
    private const LONGEST = 400; // the longest bar

    public static function svg(array $results): string
    {
        $fetches = $results['fetches'];
        $memory = $results['memory_of_workers'];
        $y = 62;
        $body = '';
        foreach (array_slice($fetches['ns'], 0, 2) as $title => $systems) {
            $body .= self::bars("CPU time of one fetch, $title", $systems, self::time(...), $y);
        }
        $names = ['larder' => 'Larder', 'apcu' => 'APCu', 'redis' => 'Redis'];
        $megabytes = array_combine($names, array_map(fn(string $system): float => (float) $memory['pss_mb'][$system], array_keys($names)));
        $body .= self::bars("Memory of $memory[workers] PHP workers that use one configuration of " . round($memory['configuration_mb']) . ' MB', $megabytes, fn(float $mb): string => round($mb) . ' MB', $y);
        $used = implode(', ', array_map(fn(string $system, array $serializers): string => "$system with " . implode(' or ', $serializers), array_keys($fetches['serializers']), $fetches['serializers']));
        $y -= 8;
        $notes = '';
        foreach (explode("\n", wordwrap("PHP $fetches[php]. Quickest serializer of each: $used. Each answer was checked. Time and memory of the servers of Redis and memcached are not counted.", 110)) as $line) {
            $notes .= "<text x=\"24\" y=\"$y\" class=\"s\">$line</text>\n";
            $y += 17;
        }
        return sprintf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="CPU time of one fetch from Larder, APCu, memcached and Redis, and memory of workers">', self::WIDTH, $y) . <<<SVG

            <style>svg{background:#fff}text{font-family:system-ui,sans-serif;fill:#16202c}.h{font-size:20px;font-weight:700}.t{font-size:15px;font-weight:600}.n{font-size:15px}.v{font-size:14px}.r{font-size:22px;font-weight:700}.s{font-size:12px;fill:#5b6775}.l{fill:#1a7f4b}.o{fill:#9aa7b5}</style>
            <text x="24" y="32" class="h">What caching costs in PHP (× = as much as Larder)</text>
            $body$notes</svg>

            SVG;
    }

    /**
     * Draws linear bars, with the ratio in large type: a logarithmic scale would hide the difference. Adds the height of the bars to $y.
     */
    private static function bars(string $title, array $figures, callable $text, int &$y): string
    {
        $svg = "<text x=\"24\" y=\"$y\" class=\"t\">$title</text>\n";
        $y += 14;
        $most = max($figures);
        foreach ($figures as $name => $figure) {
            $ratio = $figure / $figures['Larder'];
            $width = max(2, round(self::LONGEST * $figure / $most, 1));
            $svg .= sprintf('<text x="110" y="%d" class="n" text-anchor="end">%s</text><rect x="122" y="%d" width="%s" height="22" rx="4" class="%s"/><text x="%s" y="%d" class="v">%s</text>', $y + 17, $name, $y, $width, $name === 'Larder' ? 'l' : 'o', 132 + $width, $y + 17, $text((float) $figure));
            $svg .= $name === 'Larder' ? "\n" : sprintf("<text x=\"736\" y=\"%d\" class=\"r\" text-anchor=\"end\">%s ×</text>\n", $y + 19, number_format($ratio, $ratio < 10 ? 1 : 0));
            $y += 28;
        }
        $y += 30;
        return $svg;
    }

    private static function time(float $ns): string
    {
        return $ns < 1000 ? round($ns) . ' ns' : number_format($ns / 1000, $ns < 100_000 ? 1 : 0) . ' µs';
    }

    /** @return array<string, string> README's lines about fetches; each key is the pattern by which the line is found in README */
    public static function lines(array $fetches): array
    {
        $lines = [];
        foreach ($fetches['ns'] as $title => ['Larder' => $larder, 'APCu' => $apcu]) {
            [$larder, $apcu] = array_map(fn(float $ns): string => number_format($ns), [$larder, $apcu]);
            if (!str_contains($title, 'objects')) { // only the chart shows the objects
                $lines['/^\| ' . preg_quote($title, '/') . ' \|.*$/m'] = "| $title | $larder ns | $apcu ns |";
            }
            if ($title === 'array of 1,000 strings') {
                $lines['/^- An array of 1,000 strings takes .*$/m'] = "- An array of 1,000 strings takes $larder ns (APCu: $apcu ns), because PHP reads it where it lies in shared memory.";
            }
        }
        return $lines;
    }
}
