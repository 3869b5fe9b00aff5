<?php

/* The interfaces for PHPStan of open-telemetry/api, which is not among what the tests install. */

declare(strict_types=1);

namespace OpenTelemetry\API\Metrics;

interface ObserverInterface
{
    /** @param iterable<non-empty-string, mixed> $attributes */
    public function observe(float|int $amount, iterable $attributes = []): void;
}

interface ObservableCounterInterface {}

interface ObservableGaugeInterface {}

interface MeterInterface
{
    /** @param array<mixed>|callable $advisory */
    public function createObservableCounter(string $name, ?string $unit = null, ?string $description = null, array|callable $advisory = [], callable ...$callbacks): ObservableCounterInterface;

    /** @param array<mixed>|callable $advisory */
    public function createObservableGauge(string $name, ?string $unit = null, ?string $description = null, array|callable $advisory = [], callable ...$callbacks): ObservableGaugeInterface;
}
