<?php

declare(strict_types=1);

namespace Larder\Metrics;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\PinnedCache;
use Prometheus\Exception\StorageException;
use Prometheus\Storage\Adapter;
use Prometheus\Storage\InMemory;

/**
 * Metrics of promphp/prometheus_client_php in the pinned store, for all processes that share it. Each change of a sample is atomic. If a
 * process is killed inside observe(), the sum may lack a value that the count includes.
 *
 * A sample is an int, which is incremented. Floats are added to a second entry, which contains the bits of a double. The value of the
 * sample is the sum of both.
 */
final class PrometheusStorage extends InMemory
{
    private const META = "\0m\0";
    private const SAMPLE = "\0s\0";
    private const OBSERVATION = "\0o\0";
    private const FRACTION = "\0f";
    private const BEGINS = 1000; // approximate maximum of $begins
    private const NO_ROOM = 'The pinned store has no room, or is off: raise larder.pinned_size (PinnedCache::info())';

    /** @var array<true> by name: the metrics whose descriptions this object has stored */
    private array $known = [];

    /**
     * By the name and labels of a histogram: the prefix of its samples' keys, and its buckets. Each bucket is [upper limit, key of its sample].
     *
     * @var array<string, array{string, array<array-key, array{mixed, string}>}>
     */
    private array $begins = [];

    /** @param string $prefix keeps metrics of several applications in one store apart */
    public function __construct(private readonly string $prefix = 'prometheus')
    {
        if (!class_exists(PinnedCache::class)) {
            throw new ExtensionMissing();
        }
    }

    /** @param array<string, mixed> $data */
    public function updateCounter(array $data): void
    {
        $key = $this->key($data, $this->valueKey($data));
        if ($data['command'] === Adapter::COMMAND_SET) {
            $this->set($key, 0);
        } else {
            $this->add($key, self::number($data['value']));
        }
    }

    /** @param array<string, mixed> $data */
    public function updateGauge(array $data): void
    {
        $key = $this->key($data, $this->valueKey($data));
        if ($data['command'] === Adapter::COMMAND_SET) {
            $this->set($key, self::number($data['value']));
        } else {
            $this->addFloat($key . self::FRACTION, (float) self::number($data['value']));
        }
    }

    /** @param array<string, mixed> $data */
    public function updateHistogram(array $data): void
    {
        $value = self::number($data['value']);
        $buckets = \is_array($data['buckets']) ? $data['buckets'] : [];
        $found = '+Inf';
        foreach ($buckets as $index => $bucket) {
            if ($value <= $bucket) {
                $found = $index;
                break;
            }
        }
        $id = self::text($data['name']);
        foreach (\is_array($data['labelValues']) ? $data['labelValues'] : [] as $label) {
            $label = \is_string($label) ? $label : "\0" . serialize($label);
            $id .= "\0" . \strlen($label) . "\0$label";
        }
        $bucket = $buckets[$found] ?? $found;
        $keys = $this->begins[$id] ?? null;
        if ($keys === null || ($keys[1][$found][0] ?? null) !== $bucket) {
            if (\count($this->begins) > self::BEGINS) {
                $this->begins = [];
            }
            $keys ??= [$this->key($data, $this->histogramBucketValueKey($data, '')), []];
            $keys[1][$found] = [$bucket, $keys[0] . self::text($bucket)]; // the key of a sample ends with the bucket's limit
            $this->begins[$id] = $keys;
        }
        if (PinnedCache::increment($keys[1][$found][1]) === false) {
            throw new StorageException(self::NO_ROOM);
        }
        if (\is_float($value)) {
            $this->addFloat($keys[0] . 'sum' . self::FRACTION, $value);
        } else {
            $this->add($keys[0] . 'sum', $value);
        }
    }

    /** @param array<string, mixed> $data */
    public function updateSummary(array $data): void
    {
        $key = $this->key($data, $this->valueKey($data), self::OBSERVATION) . "\0" . time();
        $number = PinnedCache::increment($key);
        if ($number === false || !PinnedCache::set("$key\0$number", self::number($data['value']))) {
            throw new StorageException(self::NO_ROOM);
        }
    }

    public function collect(bool $sortMetrics = true): array
    {
        $this->counters = $this->gauges = $this->histograms = $this->summaries = [];
        $this->gather();
        return parent::collect($sortMetrics);
    }

    public function wipeStorage(): void
    {
        $this->known = $this->begins = [];
        foreach (PinnedCache::keys("$this->prefix\0") as $key) {
            PinnedCache::delete(self::text($key));
        }
    }

    private function gather(): void
    {
        $metas = $samples = $observations = [];
        foreach (PinnedCache::keys("$this->prefix\0") as $key) {
            $parts = explode("\0", substr(self::text($key), \strlen($this->prefix) + 1));
            $value = PinnedCache::get(self::text($key));
            if ($parts[0] === 'm') {
                $metas[$parts[1]] = $value;
            } elseif ($parts[0] === 's' && \is_int($value)) {
                $sum = $samples[$parts[1]][$parts[2]] ?? 0;
                $samples[$parts[1]][$parts[2]] = $sum + (isset($parts[3]) ? self::float($value) : $value);
            } elseif ($parts[0] === 'o') {
                $observations[$parts[1]][] = [$parts[2], (int) $parts[3], (int) ($parts[4] ?? 0), $value, self::text($key)];
            }
        }
        ksort($metas);
        foreach ($metas as $name => $meta) {
            if (!\is_array($meta)) {
                continue;
            }
            $own = $samples[$name] ?? [];
            ksort($own);
            $metric = ['meta' => $meta, 'samples' => $own];
            match ($meta['type']) {
                'counter' => $this->counters[$name] = $metric,
                'gauge' => $this->gauges[$name] = $metric,
                'histogram' => $this->histograms[$name] = $metric,
                default => $this->summaries[$name] = ['meta' => $meta, 'samples' => $this->recent($meta, $observations[$name] ?? [])],
            };
        }
    }

    /**
     * Returns the observations of a summary that are not too old, and deletes the others.
     *
     * @param array<mixed> $meta
     * @param list<array{string, int, int, mixed, string}> $observations the sample, the second, the number within that second, the value and
     * the key of each observation. An element with number 0 is no observation: its value is the count of observations in that second
     * @return array<string, list<array{time: int, value: mixed}>>
     */
    private function recent(array $meta, array $observations): array
    {
        $age = self::number($meta['maxAgeSeconds'] ?? 0);
        $recent = [];
        sort($observations);
        foreach ($observations as [$sample, $time, $number, $value, $key]) {
            if (time() - $time > $age) {
                PinnedCache::delete($key);
            } elseif ($number > 0) {
                $recent[$sample][] = ['time' => $time, 'value' => $value];
            }
        }
        ksort($recent);
        return $recent;
    }

    /**
     * Returns the key of a sample. At the first call for a metric, also stores its description.
     *
     * @param array<string, mixed> $data
     */
    private function key(array $data, string $sample, string $kind = self::SAMPLE): string
    {
        $name = $this->metaKey($data);
        if (!isset($this->known[$name])) {
            $key = $this->prefix . self::META . $name;
            if (!PinnedCache::add($key, $this->metaData($data)) && !PinnedCache::has($key)) {
                throw new StorageException(self::NO_ROOM);
            }
            $this->known[$name] = true;
        }
        return $this->prefix . $kind . $name . "\0" . $sample;
    }

    private function add(string $key, int|float $value): void
    {
        if (\is_float($value)) {
            $this->addFloat($key . self::FRACTION, $value);
        } elseif (PinnedCache::increment($key, $value) === false) {
            throw new StorageException(self::NO_ROOM);
        }
    }

    private function addFloat(string $key, float $value): void
    {
        do {
            $new = null;
            $bits = PinnedCache::get($key);
            if (!\is_int($bits)) {
                if (PinnedCache::add($key, self::bits($value))) {
                    return;
                }
                if (!PinnedCache::has($key)) {
                    throw new StorageException(self::NO_ROOM);
                }
                continue;
            }
            $old = \unpack('d', \pack('q', $bits))[1] ?? null;
            $new = \unpack('q', \pack('d', (\is_float($old) ? $old : 0.0) + $value))[1] ?? null;
        } while (!\is_int($new) || !PinnedCache::compareAndSet($key, $bits, $new));
    }

    private function set(string $key, int|float $value): void
    {
        if (!PinnedCache::set($key . self::FRACTION, self::bits((float) $value))) {
            throw new StorageException(self::NO_ROOM);
        }
        PinnedCache::delete($key);
    }

    private static function bits(float $value): int
    {
        $bits = unpack('q', pack('d', $value))[1] ?? null;
        return \is_int($bits) ? $bits : throw new \LogicException('A float has 64 bits');
    }

    private static function float(int $bits): float
    {
        $value = unpack('d', pack('q', $bits));
        return \is_array($value) && \is_float($value[1]) ? $value[1] : throw new \LogicException('A float has 64 bits');
    }

    private static function number(mixed $value): int|float
    {
        return match (true) {
            \is_int($value), \is_float($value) => $value,
            is_numeric($value) => 0 + $value,
            default => throw new StorageException('A sample must be a number, ' . get_debug_type($value) . ' given'),
        };
    }

    private static function text(mixed $value): string
    {
        return \is_scalar($value) ? (string) $value : '';
    }
}
