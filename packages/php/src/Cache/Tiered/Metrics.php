<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** Prints the state of larder-sync in the text format of OpenMetrics 1.0. */
final class Metrics
{
    /** Name => [type, unit, help, field of the report]. The counters begin at 0 when a process becomes the leader. */
    private const FAMILIES = [
        'larder_sync_invalidations' => ['counter', '', 'Keys that the server said were written.', 'invalidations'],
        'larder_sync_flushes' => ['counter', '', 'Times that all keys of the server were gone, or others, by FLUSHALL, FLUSHDB or SWAPDB.', 'flushes'],
        'larder_sync_connections' => ['counter', '', 'Times that it connected to the server.', 'connections'],
        'larder_sync_failures' => ['counter', '', 'Times that the connection failed.', 'failures'],
        'larder_sync_lag_seconds' => ['gauge', 'seconds', 'From the last PING to its answer.', 'lag'],
        'larder_sync_bound_seconds' => ['gauge', 'seconds', 'How old a value that is read may be at most.', 'bound'],
        'larder_sync_report_timestamp_seconds' => ['gauge', 'seconds', 'When the process that leads said so.', 'at'],
    ];

    /** @param array<mixed>|null $report the report that Tier::status() returned */
    public static function text(string $tier, ?array $report): string
    {
        $label = '{tier="' . strtr($tier, ['\\' => '\\\\', '"' => '\\"', "\n" => '\\n']) . '"}';
        $text = "# TYPE larder_sync_up gauge\n# HELP larder_sync_up Whether a larder-sync keeps the copies of this host up to date. Otherwise reads go to the server.\n"
            . "larder_sync_up$label " . (int) (($report['state'] ?? '') === 'leading') . "\n";
        foreach ($report === null ? [] : self::FAMILIES as $name => [$type, $unit, $help, $field]) {
            $value = $report[$field] ?? 0;
            $text .= "# TYPE $name $type\n" . ($unit !== '' ? "# UNIT $name $unit\n" : '') . "# HELP $name $help\n"
                . $name . ($type === 'counter' ? '_total' : '') . "$label " . (\is_int($value) || \is_float($value) ? json_encode($value) : 0) . "\n";
        }
        return "$text# EOF\n";
    }
}
