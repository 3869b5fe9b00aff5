<?php

declare(strict_types=1);

namespace Larder\Tests\Metrics;

use Larder\Metrics\OpenTelemetry;
use Larder\PinnedCache;
use Larder\VolatileCache;
use OpenTelemetry\SDK\Metrics\MeterProvider;
use OpenTelemetry\SDK\Metrics\MetricExporter\InMemoryExporter;
use OpenTelemetry\SDK\Metrics\MetricReader\ExportingReader;
use PHPUnit\Framework\TestCase;

/** Tests Larder's own metrics in the SDK of OpenTelemetry. */
final class OpenTelemetryTest extends TestCase
{
    protected function setUp(): void
    {
        class_exists(MeterProvider::class) || self::markTestSkipped('open-telemetry/sdk is not installed');
        VolatileCache::clear();
        PinnedCache::clear();
    }

    public function testTheReaderExportsTheNumbersOfBothStores(): void
    {
        $exporter = new InMemoryExporter();
        $reader = new ExportingReader($exporter);
        $provider = MeterProvider::builder()->addReader($reader)->build();
        OpenTelemetry::register($provider->getMeter('larder'));
        VolatileCache::set('a', 1);
        VolatileCache::set('b', 2);
        PinnedCache::set('a', 1);
        $before = VolatileCache::info();
        VolatileCache::get('a');
        VolatileCache::get('none');
        $reader->collect();
        $points = self::points($exporter);
        self::assertSame([2, 1], [$points['larder.entries volatile'], $points['larder.entries pinned']]);
        self::assertSame([1, 1], [$points['larder.up volatile'], $points['larder.up pinned']]);
        self::assertSame($before->hits + 1, $points['larder.hits volatile']);
        self::assertSame($before->misses + 1, $points['larder.misses volatile']);
        self::assertSame(VolatileCache::info()->shared_memory, $points['larder.size volatile']);
        self::assertSame(PinnedCache::info()->used_memory, $points['larder.used pinned']);
        self::assertCount(24, $points);
        VolatileCache::set('c', 3);
        $reader->collect();
        self::assertSame(3, self::points($exporter)['larder.entries volatile']);
        $provider->shutdown();
    }

    /** @return array<string, int|float> the last value of each metric */
    private static function points(InMemoryExporter $exporter): array
    {
        $points = [];
        foreach ($exporter->collect(true) as $metric) {
            foreach ($metric->data->dataPoints ?? [] as $point) {
                $points[$metric->name . ' ' . $point->attributes->get('larder.store')] = $point->value;
            }
        }
        return $points;
    }
}
