<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Prints statistics in the text format of OpenMetrics 1.0. */
final class OpenMetrics
{
    public const TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

    /** Name => [type, unit, help, field of stats()]. */
    private const FAMILIES = [
        'larder_hits' => ['counter', '', 'Look-ups that found an entry.', 'hits'],
        'larder_misses' => ['counter', '', 'Look-ups that found none.', 'misses'],
        'larder_inserts' => ['counter', '', 'Entries stored under a key that had none.', 'inserts'],
        'larder_replaces' => ['counter', '', 'Entries stored in the place of another.', 'replaces'],
        'larder_deletes' => ['counter', '', 'Entries deleted.', 'deletes'],
        'larder_evictions' => ['counter', '', 'Entries that gave way to others.', 'evicted'],
        'larder_expirations' => ['counter', '', 'Entries removed after their time to live.', 'expired'],
        'larder_ghost_hits' => ['counter', '', 'Entries stored again soon after they were evicted.', 'ghost_hits'],
        'larder_packs' => ['counter', '', 'Values stored packed.', 'packs'],
        'larder_falls' => ['counter', '', 'Ready values that were packed, because memory was short.', 'falls'],
        'larder_rises' => ['counter', '', 'Packed values that were made ready again.', 'rises'],
        'larder_unpacks' => ['counter', '', 'Reads that unpacked a value.', 'unpacks'],
        'larder_deaths' => ['counter', '', 'Threads that died without leaving the store.', 'deaths'],
        'larder_recoveries' => ['counter', '', 'Deaths inside a write, which was undone.', 'recoveries'],
        'larder_repairs' => ['counter', '', 'Repairs that dropped damaged entries or messages.', 'repairs'],
        'larder_memory_short' => ['counter', '', 'Times that the file system had no room for more memory of the store.', 'memory_short'],
        'larder_busy' => ['counter', '', 'Calls that did not get a lock in time.', 'busy'],
        'larder_size_bytes' => ['gauge', 'bytes', 'Size of the store.', 'size'],
        'larder_used_bytes' => ['gauge', 'bytes', 'Memory of live entries.', 'used'],
        'larder_claimed_bytes' => ['gauge', 'bytes', 'Memory in pages that are in use.', 'claimed'],
        'larder_retired_bytes' => ['gauge', 'bytes', 'Memory of removed entries that is not free yet.', 'retired'],
        'larder_entries' => ['gauge', '', 'Live entries.', 'entries'],
        'larder_packed_entries' => ['gauge', '', 'Live entries that are packed.', 'packed_entries'],
        'larder_packed_bytes' => ['gauge', 'bytes', 'Memory of packed entries.', 'packed_bytes'],
        'larder_packed_ready_bytes' => ['gauge', 'bytes', 'Memory that values of packed entries would take ready.', 'packed_ready'],
        'larder_threads' => ['gauge', '', 'Threads that use the store.', 'threads'],
        'larder_uptime_seconds' => ['gauge', 'seconds', 'Time since the store was created.', 'uptime'],
        'larder_evicted_age_seconds' => ['gauge', 'seconds', 'Age of entries evicted lately.', 'evicted_age'],
    ];

    /** The metrics of queues: name => [type, unit, help, field of the operation "queues"]. */
    private const QUEUES = [
        'larder_queue_oldest_seconds' => ['gauge', 'seconds', 'Time that the oldest ready message has waited.', 'oldest'],
        'larder_queue_bytes' => ['gauge', 'bytes', 'Memory of the messages of a queue.', 'bytes'],
        'larder_queue_pushed' => ['counter', '', 'Messages pushed.', 'pushed'],
        'larder_queue_acked' => ['counter', '', 'Messages acknowledged.', 'acked'],
        'larder_queue_redelivered' => ['counter', '', 'Pops of a message that had been popped before.', 'redelivered'],
        'larder_queue_returned' => ['counter', '', 'Messages that came back because the worker died or took too long.', 'returned'],
        'larder_queue_expired' => ['counter', '', 'Messages that expired.', 'expired'],
        'larder_queue_refused' => ['counter', '', 'Pushes that found no room.', 'refused'],
    ];

    private const STATES = ['ready', 'reserved', 'delayed', 'buried'];

    /**
     * @param array<string, mixed> $stats the answer of the operation stats
     * @param array<string, array<string, array{entries: int, bytes: int}>> $prefixes the number of entries and their bytes, for each prefix
     * @param list<array<string, mixed>> $queues the answer of the operation queues
     */
    public static function text(array $stats, array $prefixes = [], array $queues = []): string
    {
        $text = '';
        $pool = $stats['pool'] !== '' ? ['fpm_pool' => $stats['pool']] : [];
        foreach (self::FAMILIES as $name => [$type, $unit, $help, $field]) {
            $text .= self::family($name, $type, $unit, $help);
            foreach (self::with($field, $stats['stores']) as $store => $numbers) {
                $text .= self::sample($name . ($type === 'counter' ? '_total' : ''), ['store' => $store] + $pool, $numbers[$field]);
            }
        }
        $text .= self::family('larder_refusals', 'counter', '', 'Writes that the store could not take, by cause.');
        foreach ($stats['stores'] as $store => $numbers) {
            $known = 0;
            foreach ($numbers['refusal_causes'] as $cause => $refused) {
                $known += $refused;
                $text .= self::sample('larder_refusals_total', ['store' => $store, 'cause' => $cause] + $pool, $refused);
            }
            $text .= self::sample('larder_refusals_total', ['store' => $store, 'cause' => 'other'] + $pool, max(0, $numbers['refused'] - $known));
        }
        $text .= self::family('larder_copies', 'counter', '', 'Reads answered with a copy, by what the thread held too much of or too long.');
        foreach ($stats['stores'] as $store => $numbers) {
            foreach ($numbers['copy_causes'] ?? ['other' => $numbers['copies']] as $cause => $copies) {
                $text .= self::sample('larder_copies_total', ['store' => $store, 'cause' => (string) $cause] + $pool, $copies);
            }
        }
        $text .= self::family('larder_up', 'gauge', '', '1 if the process that was asked can use the store, else 0.');
        foreach ([...array_map(fn(array $numbers): int => (int) $numbers['readable'], $stats['stores']), ...array_fill_keys(array_keys($stats['off']), 0)] as $store => $up) {
            $text .= self::sample('larder_up', ['store' => $store] + $pool, $up);
        }
        $text .= self::family('larder_open_failures', 'gauge', '', 'Openings that failed in the process that was asked.');
        foreach ($stats['stores'] as $store => $numbers) {
            $text .= self::sample('larder_open_failures', ['store' => $store] + $pool, $numbers['failures']);
        }
        if ($queues !== []) {
            $text .= self::queues($queues, $pool);
        }
        foreach ($prefixes === [] ? [] : ['entries' => '', 'bytes' => 'bytes'] as $field => $unit) {
            $text .= self::family("larder_prefix_$field", 'gauge', $unit, ($field === 'entries' ? 'Entries' : 'Memory of entries') . ' whose keys begin with the prefix.');
            foreach ($prefixes as $prefix => $totals) {
                $text .= self::sample("larder_prefix_$field", ['prefix' => (string) $prefix] + $pool, array_sum(array_column($totals, $field)));
            }
        }
        return $text . self::family('larder_build', 'info', '', 'The version.') . self::sample('larder_build_info', ['version' => $stats['larder'], 'php' => $stats['php']], 1) . "# EOF\n";
    }

    /**
     * @param list<array<string, mixed>> $queues
     * @param array<string, string> $pool
     */
    private static function queues(array $queues, array $pool): string
    {
        $text = self::family('larder_queue_messages', 'gauge', '', 'Messages of a queue, by state.');
        foreach ($queues as $queue) {
            foreach (self::STATES as $state) {
                $text .= self::sample('larder_queue_messages', ['queue' => $queue['name'], 'state' => $state] + $pool, $queue[$state]);
            }
        }
        foreach (self::QUEUES as $name => [$type, $unit, $help, $field]) {
            $text .= self::family($name, $type, $unit, $help);
            foreach (self::with($field, $queues) as $queue) {
                $text .= self::sample($name . ($type === 'counter' ? '_total' : ''), ['queue' => $queue['name']] + $pool, $queue[$field]);
            }
        }
        return $text;
    }

    /**
     * Returns the stores or queues that have the figure $field. An older extension does not report all figures.
     *
     * @param array<array<string, mixed>> $all
     * @return array<array<string, mixed>>
     */
    private static function with(string $field, array $all): array
    {
        return array_filter($all, fn(array $figures): bool => isset($figures[$field]));
    }

    private static function family(string $name, string $type, string $unit, string $help): string
    {
        return "# TYPE $name $type\n" . ($unit !== '' ? "# UNIT $name $unit\n" : '') . "# HELP $name $help\n";
    }

    /** @param array<string, string> $labels */
    private static function sample(string $name, array $labels, int|float $value): string
    {
        $text = [];
        foreach ($labels as $label => $content) {
            $text[] = $label . '="' . strtr(Text::key($content), ['\\' => '\\\\', '"' => '\\"', "\n" => '\\n']) . '"';
        }
        return $name . '{' . implode(',', $text) . '} ' . (is_float($value) ? rtrim(rtrim(sprintf('%.6F', $value), '0'), '.') : $value) . "\n";
    }
}
