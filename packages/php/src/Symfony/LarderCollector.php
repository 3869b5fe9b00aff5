<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\PinnedCache;
use Larder\Pool;
use Larder\VolatileCache;
use Symfony\Component\Cache\Adapter\AdapterInterface;
use Symfony\Component\Cache\Adapter\TraceableAdapter;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\DataCollector\DataCollector;
use Symfony\Component\HttpKernel\DataCollector\LateDataCollectorInterface;

/**
 * The panel of the profiler: the stores, their pools, and the origin of each value that the request has fetched.
 *
 * @phpstan-type Usage array{entries: int, bytes: int, hits: int, misses: int, stores: int}
 * @phpstan-type Memory array{model: string, size: int, pages: int, used: int, entries: int, evictions: int, refusals: int}
 */
final class LarderCollector extends DataCollector implements LateDataCollectorInterface
{
    /** @param array<string, AdapterInterface> $pools the pools, by their names */
    public function __construct(private readonly array $pools)
    {
        $this->reset();
    }

    public function collect(Request $request, Response $response, ?\Throwable $exception = null): void {}

    public function lateCollect(): void
    {
        $pools = [];
        foreach ($this->pools as $name => $adapter) {
            $calls = $adapter instanceof TraceableAdapter ? $adapter->getCalls() : [];
            $adapter = $adapter instanceof TraceableAdapter ? $adapter->getPool() : $adapter;
            if ($adapter instanceof LarderAdapter) {
                $pools[$name] = ['usage' => self::usage($adapter), 'values' => self::values($adapter, $calls)];
            }
        }
        $there = \class_exists(VolatileCache::class);
        $this->data = [
            'volatile' => $there ? self::memory(VolatileCache::info()) : null,
            'pinned' => $there ? self::memory(PinnedCache::info()) : null,
            'pools' => $pools,
        ];
    }

    public function reset(): void
    {
        $this->data = ['volatile' => null, 'pinned' => null, 'pools' => []];
    }

    public function getName(): string
    {
        return 'larder';
    }

    /** @return Memory|null null: the extension is not loaded */
    public function getVolatile(): ?array
    {
        /** @var Memory|null $memory written by lateCollect() */
        $memory = $this->data['volatile'] ?? null;
        return $memory;
    }

    /** @return Memory|null */
    public function getPinned(): ?array
    {
        /** @var Memory|null $memory written by lateCollect() */
        $memory = $this->data['pinned'] ?? null;
        return $memory;
    }

    /** @return array<string, array{usage: Usage|null, values: array<string, string>}> */
    public function getPools(): array
    {
        /** @var array<string, array{usage: Usage|null, values: array<string, string>}> $pools written by lateCollect() */
        $pools = $this->data['pools'] ?? [];
        return $pools;
    }

    /** Returns the number of values that the request has fetched. */
    public function countValues(): int
    {
        return array_sum(array_map(static fn(array $pool): int => \count($pool['values']), $this->getPools()));
    }

    /** @return Memory */
    private static function memory(\Larder\StaticCacheInfo $info): array
    {
        return [
            'model' => $info->available ? $info->shared_model : (string) $info->failure_reason,
            'size' => $info->configured_memory,
            'pages' => $info->shared_memory,
            'used' => $info->used_memory,
            'entries' => $info->entry_count,
            'evictions' => $info->evictions,
            'refusals' => $info->refusals,
        ];
    }

    /** @return Usage|null null: the pool is not in shared memory */
    private static function usage(LarderAdapter $adapter): ?array
    {
        $store = $adapter->store();
        if (!$store instanceof Pool) {
            return null;
        }
        $info = $store->info();
        return ['entries' => $info->entry_count, 'bytes' => $info->used_memory, 'hits' => $info->hits, 'misses' => $info->misses, 'stores' => $info->stores];
    }

    /**
     * @param array<mixed> $calls the calls that a TraceableAdapter has recorded
     * @return array<string, string> where the value of each key lies
     */
    private static function values(LarderAdapter $adapter, array $calls): array
    {
        $values = [];
        foreach ($calls as $call) {
            $result = \is_object($call) ? $call->result ?? null : null;
            foreach (\is_array($result) ? array_keys($result) : [] as $key) {
                $item = $key === '' || isset($values[$key]) || strpbrk((string) $key, '{}()/\@:') !== false ? null : $adapter->getItem((string) $key);
                if ($item?->isHit()) {
                    $values[(string) $key] = self::place($item->get(), static fn(): mixed => $adapter->getItem((string) $key)->get());
                }
            }
        }
        return $values;
    }

    /** @param \Closure(): mixed $again */
    private static function place(mixed $value, \Closure $again): string
    {
        return match (true) {
            \is_string($value) => 'shared memory, as it is',
            $value === null, \is_scalar($value) => 'in the entry itself',
            \is_array($value) && !self::hasObjects($value) => 'shared memory, as it is',
            \is_object($value) && $again() === $value => 'resident: built once per worker',
            default => 'rebuilt from shared memory by each fetch',
        };
    }

    /** @param array<mixed> $value */
    private static function hasObjects(array $value): bool
    {
        foreach ($value as $element) {
            if (\is_object($element) || \is_array($element) && self::hasObjects($element)) {
                return true;
            }
        }
        return false;
    }
}
