<?php

declare(strict_types=1);

namespace Bench\Report;

use RuntimeException;

/** A page of charts with their tables, in one file that needs no other files. */
final class Report
{
    private string $body = '';
    /** @var list<array<string, mixed>> the charts that page.js draws */
    private array $charts = [];

    private static function h(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE);
    }

    /** Returns an amount with three significant digits. */
    public static function amount(float $value): string
    {
        $size = abs($value);
        return number_format($value, $size < 10 ? 2 : ($size < 100 ? 1 : 0));
    }

    public function heading(string $title, string $text): void
    {
        $this->body .= '<h2>' . self::h($title) . '</h2><p>' . self::h($text) . "</p>\n";
    }

    public function text(string $text, string $class = 'quiet'): void
    {
        $this->body .= "<p class=\"$class\">" . self::h($text) . "</p>\n";
    }

    /** Adds figures in large print. @param array<string, string> $figures for each text that explains a figure: the figure */
    public function tiles(array $figures): void
    {
        $this->body .= '<div class="tiles">';
        foreach ($figures as $text => $figure) {
            $this->body .= '<div><b>' . self::h($figure) . '</b><span>' . self::h($text) . '</span></div>';
        }
        $this->body .= "</div>\n";
    }

    /** @param array<string, string> $facts */
    public function facts(string $title, array $facts): void
    {
        $this->body .= '<div class="card"><h3>' . self::h($title) . '</h3><dl>';
        foreach ($facts as $name => $fact) {
            $this->body .= '<dt>' . self::h($name) . '</dt><dd>' . self::h($fact) . '</dd>';
        }
        $this->body .= "</dl></div>\n";
    }

    /**
     * Adds a chart, one sentence that explains it ($reading), and its table.
     * @param array<string, array<string, ?float>> $series the values by label, by the name of the series
     * @param array<string, list<string>> $columns further columns of the table: a cell for each label
     */
    public function chart(
        string $title,
        string $reading,
        string $unit,
        array $series,
        bool $log = false,
        bool $stacked = false,
        array $columns = [],
    ): void {
        $labels = array_map(strval(...), array_keys(array_merge(...array_values($series))));
        $chart = ['title' => $title, 'unit' => $unit, 'log' => $log, 'stacked' => $stacked, 'labels' => $labels];
        $chart['series'] = [];
        foreach (array_keys($series) as $i => $name) {
            $one = ['name' => (string) $name, 'color' => Colors::of((string) $name, $i)];
            $one['values'] = array_map(fn(string $label): ?float => $series[$name][$label] ?? null, $labels);
            if (count($series) === 1) {
                $one['colors'] = array_map(fn(string $label): string => Colors::of($label, 0), $labels);
            }
            $chart['series'][] = $one;
        }
        $number = count($this->charts);
        $this->charts[] = $chart;
        $this->body .= '<figure><h3>' . self::h($title) . '</h3><figcaption>' . self::h($reading) . '</figcaption>'
            . "<div class=\"chart\" data-chart=\"$number\"></div>" . $this->table($unit, $chart, $columns) . "</figure>\n";
    }

    /** @param array<string, list<string>> $columns */
    private function table(string $unit, array $chart, array $columns): string
    {
        $one = fn(string $tag, string $cell): string => "<$tag>" . self::h($cell) . "</$tag>";
        $row = fn(array $cells, string $tag): string =>
            '<tr>' . implode('', array_map(fn(string $cell): string => $one($tag, $cell), $cells)) . '</tr>';
        $rows = $row([$unit, ...array_column($chart['series'], 'name'), ...array_keys($columns)], 'th');
        foreach ($chart['labels'] as $i => $label) {
            $values = array_map(fn(array $one): ?float => $one['values'][$i], $chart['series']);
            $cells = array_map(fn(?float $value): string => $value === null ? '–' : self::amount($value), $values);
            $rows .= $row([$label, ...$cells, ...array_column($columns, $i)], 'td');
        }
        return "<details><summary>The table</summary><div class=\"wide\"><table>$rows</table></div></details>";
    }

    /** Returns the whole page, with the chart library in it. */
    public function page(string $library): string
    {
        $json = json_encode($this->charts, JSON_HEX_TAG | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
        if (stripos($library, '</script') !== false) {
            throw new RuntimeException('the chart library would end its own element');
        }
        $library = preg_replace('~^//# sourceMappingURL=.*$~m', '', $library); // the page has no source map
        return strtr((string) file_get_contents(__DIR__ . '/page.html'), [
            '{body}' => $this->body, '{library}' => $library, '{charts}' => $json,
            '{script}' => (string) file_get_contents(__DIR__ . '/page.js'),
        ]);
    }
}
