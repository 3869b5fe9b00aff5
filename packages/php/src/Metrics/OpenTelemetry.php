<?php

declare(strict_types=1);

namespace Larder\Metrics;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\PinnedCache;
use Larder\StaticCacheInfo;
use Larder\VolatileCache;
use OpenTelemetry\API\Metrics\MeterInterface;
use OpenTelemetry\API\Metrics\ObserverInterface;

/** Larder's own metrics as observable instruments of OpenTelemetry. They describe the whole store: export them once per host. */
final class OpenTelemetry
{
    /** Name => [unit, description, property of the store's info()]. */
    private const COUNTERS = [
        'larder.hits' => ['{lookup}', 'Look-ups that found an entry.', 'hits'],
        'larder.misses' => ['{lookup}', 'Look-ups that found none.', 'misses'],
        'larder.evictions' => ['{entry}', 'Entries that gave way to others.', 'evictions'],
        'larder.expirations' => ['{entry}', 'Entries removed after their time to live.', 'expirations'],
        'larder.refusals' => ['{write}', 'Writes that the store could not take.', 'refusals'],
        'larder.copies' => ['{lookup}', 'Reads answered with a copy, because too much was held.', 'copies'],
        'larder.deaths' => ['{thread}', 'Threads that died without leaving the store.', 'deaths'],
        'larder.recoveries' => ['{thread}', 'Deaths inside a write, which was undone.', 'recoveries'],
    ];
    private const GAUGES = [
        'larder.size' => ['By', 'Size of the store.', 'shared_memory'],
        'larder.used' => ['By', 'Memory of live entries.', 'used_memory'],
        'larder.entries' => ['{entry}', 'Live entries.', 'entry_count'],
        'larder.up' => ['1', '1 if this process can use the store, else 0.', 'available'],
    ];

    /**
     * Makes the instruments. A data point has the attribute larder.store: volatile or pinned.
     *
     * @throws ExtensionMissing
     */
    public static function register(MeterInterface $meter): void
    {
        class_exists(VolatileCache::class) || throw new ExtensionMissing();
        foreach (self::COUNTERS as $name => [$unit, $description, $field]) {
            $meter->createObservableCounter($name, $unit, $description, [], self::callback($field));
        }
        foreach (self::GAUGES as $name => [$unit, $description, $field]) {
            $meter->createObservableGauge($name, $unit, $description, [], self::callback($field));
        }
    }

    /** @return \Closure(ObserverInterface): void */
    private static function callback(string $field): \Closure
    {
        return static function (ObserverInterface $observer) use ($field): void {
            foreach (['volatile' => VolatileCache::info(), 'pinned' => PinnedCache::info()] as $store => $info) {
                $observer->observe(self::value($info, $field), ['larder.store' => $store]);
            }
        };
    }

    private static function value(StaticCacheInfo $info, string $field): int
    {
        return match ($field) {
            'hits' => $info->hits,
            'misses' => $info->misses,
            'evictions' => $info->evictions,
            'expirations' => $info->expirations,
            'refusals' => $info->refusals,
            'copies' => $info->copies,
            'deaths' => $info->deaths,
            'recoveries' => $info->recoveries,
            'shared_memory' => $info->shared_memory,
            'used_memory' => $info->used_memory,
            'entry_count' => $info->entry_count,
            'available' => (int) $info->available,
            default => throw new \LogicException("No metric has the property $field"),
        };
    }
}
