<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Closed;
use Larder\Polyfill\Entry;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Record;
use Larder\Polyfill\Settings;
use Larder\Polyfill\Store;

/** Shows the state and the entries of a store. Creates no store, and delays no other process. Its reads do not count as uses. */
final class Inspector
{
    use Closed;

    private const STORES = ['volatile', 'pinned', 'immutable', 'apcu', 'session', 'queue'];
    private const ORDERS = ['', 'size', 'uses', 'age', 'ttl', 'key'];

    private readonly string $name;
    private readonly ?Store $store;

    private function __construct() {}

    /** @throws StaticCacheException the store is off; the message says why */
    public static function own(string $store): Inspector
    {
        Fault::most(\func_num_args(), 1);
        self::checkStore($store);
        $reason = \in_array($store, ['immutable', 'apcu'], true) ? 'it needs the extension' : Settings::reasonOff($store);
        if ($reason !== null) {
            throw new StaticCacheException("the $store store is off: $reason");
        }
        return Record::make(self::class, ['name' => $store, 'store' => $store !== 'queue' ? Store::named($store) : null]);
    }

    /** @throws StaticCacheException always: a store in a file needs the extension */
    public static function open(string $path): Inspector
    {
        Fault::most(\func_num_args(), 1);
        throw new StaticCacheException("$path: a store in a file needs the extension larder");
    }

    /** @throws StaticCacheException always: a store in a file needs the extension */
    public static function path(string $store, string $scope, string $folder = "/dev/shm"): string
    {
        Fault::most(\func_num_args(), 3);
        self::checkStore($store);
        throw new StaticCacheException('a store in a file needs the extension larder');
    }

    /** @return array<string, mixed> */
    public function stats(): array
    {
        Fault::most(\func_num_args(), 0);
        $info = Store::info($this->name === 'queue' ? 'volatile' : $this->name);
        $counts = $this->store?->counts() ?? [];
        $start = $_SERVER['REQUEST_TIME_FLOAT'] ?? null;
        return [
            'name' => $this->name,
            'path' => '',
            'policy' => $this->name,
            'abi' => 'polyfill',
            'readable' => true,
            'fence' => false,
            'size' => Settings::size($this->name),
            'used' => $this->store !== null ? $info->used_memory : 0,
            'claimed' => $this->store !== null ? $info->used_memory : 0,
            'retired' => 0,
            'held' => 0,
            'entries' => $this->store !== null ? $info->entry_count : \count(Queue::names()),
            'entry_limit' => $info->entry_limit,
            'value_limit' => intdiv(Settings::size($this->name), 2),
            'hits' => $counts['hits'] ?? 0,
            'misses' => $counts['misses'] ?? 0,
            'inserts' => $counts['inserts'] ?? 0,
            'replaces' => $counts['replaces'] ?? 0,
            'deletes' => $counts['deletes'] ?? 0,
            'evicted' => $counts['evictions'] ?? 0,
            'expired' => $counts['expirations'] ?? 0,
            'ghost_hits' => 0,
            'refused' => $this->store !== null ? $info->refusals : 0,
            'copies' => 0,
            'copy_causes' => ['memory' => 0, 'time' => 0, 'number' => 0],
            'packs' => 0,
            'falls' => 0,
            'rises' => 0,
            'unpacks' => 0,
            'packed_entries' => 0,
            'packed_bytes' => 0,
            'packed_ready' => 0,
            'deaths' => 0,
            'recoveries' => 0,
            'repairs' => 0,
            'memory_short' => 0,
            'busy' => 0,
            'threads' => 1,
            'thread_limit' => 1,
            'refusal_causes' => $this->store !== null ? $info->refusal_causes : [],
            'evicted_age' => 0.0,
            'uptime' => \is_float($start) ? max(0.0, microtime(true) - $start) : 0.0,
            'resident_graphs' => 0,
            'resident_bytes' => 0,
            'failures' => 0,
        ];
    }

    /** @return list<array<string, mixed>> */
    public function entries(string $prefix = "", string $order = "", int $limit = 0, ?string $pool = null): array
    {
        Fault::most(\func_num_args(), 4);
        $store = $this->withEntries();
        if (!\in_array($order, self::ORDERS, true)) {
            throw Fault::argument(\ValueError::class, 2, 'must be "", "size", "uses", "age", "ttl" or "key"');
        }
        Fault::atLeast($limit, 0, 3);
        $entries = [];
        foreach ($this->walk($store, $prefix, $pool) as [$key, $in, $entry]) {
            $isInteger = $entry->value?->integer() !== null;
            $entries[] = [
                'key' => $key,
                'pool' => $in,
                'type' => $entry->value?->typeName(),
                'size' => $entry->value->size ?? 0,
                'bytes' => $entry->bytes,
                'form' => 'ready',
                'ready' => $entry->value->size ?? 0,
                'age' => $isInteger ? null : Store::now() - $entry->stored,
                'ttl' => is_finite($entry->expires) ? $entry->expires - Store::now() : null,
                'uses' => 0,
                'version' => $isInteger ? 0 : $entry->version,
            ];
        }
        match ($order) {
            'size', 'age' => usort($entries, fn(array $a, array $b) => $b[$order] <=> $a[$order]),
            'ttl' => usort($entries, fn(array $a, array $b) => ($a['ttl'] ?? INF) <=> ($b['ttl'] ?? INF)),
            'key' => usort($entries, fn(array $a, array $b) => strcmp($a['key'], $b['key'])),
            default => null,
        };
        return $limit > 0 ? \array_slice($entries, 0, $limit) : $entries;
    }

    /** @return list<string> */
    public function keys(string $prefix = "", int $limit = 0, ?string $pool = null, bool $named = false): array
    {
        Fault::most(\func_num_args(), 4);
        $store = $this->withEntries();
        Fault::atLeast($limit, 0, 2);
        $keys = [];
        foreach ($this->walk($store, $prefix, $pool) as [$key, $in, $_]) {
            $keys[] = $named && $in !== null ? "$in/$key" : $key;
            if (\count($keys) === $limit) {
                break;
            }
        }
        return $keys;
    }

    /** @return array<string, array{entries: int, bytes: int}> */
    public function totals(string $prefix = ""): array
    {
        Fault::most(\func_num_args(), 1);
        $totals = [];
        foreach ($this->walk($this->withEntries(), $prefix, null) as [$_, $in, $entry]) {
            $total = $totals[(string) $in] ?? ['entries' => 0, 'bytes' => 0];
            $totals[(string) $in] = ['entries' => $total['entries'] + 1, 'bytes' => $total['bytes'] + $entry->bytes];
        }
        return $totals;
    }

    /**
     * @param bool $found
     * @throws StaticCacheException the store contains sessions, whose values are not shown
     */
    public function value(string $key, &$found = null): mixed
    {
        Fault::most(\func_num_args(), 2);
        $store = $this->withEntries();
        Fault::key($key);
        if ($this->name === 'session') {
            throw new StaticCacheException('the content of a session is not shown: only its own site may read it');
        }
        $value = $store->find($key)?->value;
        $found = $value !== null;
        return $value?->decode();
    }

    public function delete(string $key): bool
    {
        Fault::most(\func_num_args(), 1);
        $store = $this->withEntries();
        Fault::key($key);
        foreach ($this->name === 'session' ? $store->walk() : [] as $whole => $_) {
            if (self::sessionName($whole)[0] === $key) {
                return $store->delete($whole);
            }
        }
        return $store->delete($key);
    }

    public function clear(string $prefix = ""): int
    {
        Fault::most(\func_num_args(), 1);
        $store = $this->withEntries();
        $count = \count($this->keys($prefix));
        if ($prefix === '') {
            $store->clear();
            return $count;
        }
        $count = 0;
        foreach (iterator_to_array($store->walk($prefix)) as $key => $_) {
            $count += (int) $store->delete((string) $key);
        }
        return $count;
    }

    /** @return list<string> */
    public function fsck(): array
    {
        Fault::most(\func_num_args(), 0);
        return [];
    }

    /** @return list<array{thread: int, hits: int, misses: int, copies: int, held: int}> */
    public function threads(): array
    {
        Fault::most(\func_num_args(), 0);
        $counts = $this->store?->counts() ?? [];
        return [[
            'thread' => (int) getmypid(), 'hits' => $counts['hits'] ?? 0, 'misses' => $counts['misses'] ?? 0, 'copies' => 0, 'held' => 0,
        ]];
    }

    /** @return \Generator<int, array{string, string|null, Entry}> the key, the pool and the entry */
    private function walk(Store $store, string $prefix, ?string $pool): \Generator
    {
        $pools = $store->poolPrefixes();
        $length = \strlen(Store::poolPrefix(0));
        foreach ($store->walk() as $key => $entry) {
            $in = null;
            if ($this->name === 'session') {
                [$key, $in] = self::sessionName($key);
            } elseif (str_starts_with($key, Store::POOL)) {
                $in = $pools[substr($key, 0, $length)] ?? null;
                if ($in === null) {
                    continue; // its pool was cleared
                }
                $key = substr($key, $length);
            }
            $compared = $this->name === 'session' ? "$in\0" : $key;
            if (str_starts_with($compared, $prefix) && ($pool === null || $pool === $in)) {
                yield [$key, $in, $entry];
            }
        }
    }

    /** @return array{string, string} a hash that stands for the session, and its save path */
    private static function sessionName(string $key): array
    {
        return [substr(sha1($key), 0, 12), substr($key, 0, (int) strpos($key, "\0"))];
    }

    private function withEntries(): Store
    {
        return $this->store ?? throw new StaticCacheException('the store has queues, not entries: ask Larder\Queue');
    }

    private static function checkStore(string $store): void
    {
        if (!\in_array($store, self::STORES, true)) {
            throw Fault::argument(\ValueError::class, 1, 'must be "volatile", "pinned", "immutable", "apcu", "session" or "queue"');
        }
    }
}
