<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\StaticCacheInfo;

/**
 * The entries of this process, in the order of their last use. When a store is full, it removes the first entries, or refuses values if
 * it does not evict. The key of an entry in a pool consists of POOL, the generation of the pool, and the key; the caches refuse such
 * keys (Fault::key()). Clearing a pool gives it another generation. Its old entries are evicted in time.
 */
final class Store
{
    public const POOL = "\0lrd";
    private const ENTRY_LIMIT = PHP_INT_MAX;

    /** @var array<string, self> */
    private static array $stores = [];
    /** @var array<int, array{self, string}> stores and keys that fibers wait for */
    private static array $waits = [];
    private static bool $saidLocked = false;

    /** @var array<Entry> */
    private array $entries = [];
    /** @var array<PoolRecord> by name */
    private array $pools = [];
    /** @var array<string, float> when a reservation ends, by its key */
    private array $locks = [];
    /** @var array<string, true> the keys in $locks that fibers have reserved */
    private array $locksOfFibers = [];
    /** @var array<string, int> */
    private array $counts = ['hits' => 0, 'misses' => 0, 'evictions' => 0, 'expirations' => 0, 'inserts' => 0, 'replaces' => 0, 'deletes' => 0];
    /** @var array<string, int> */
    private array $refusals = [];
    /** @var array<Computing> */
    private array $computing = [];
    private int $used = 0;
    private int $version = 0;

    private function __construct(public readonly string $name, public readonly int $size) {}

    /** Returns the store with this name; null: the store is off. */
    public static function named(string $name): ?self
    {
        return self::$stores[$name] ?? (Settings::reasonOff($name) === null
            ? self::$stores[$name] = new self($name, Settings::size($name)) : null);
    }

    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    /** Returns a number that this store has not returned before. */
    public function nextVersion(): int
    {
        return ++$this->version;
    }

    /* ---- entries */

    public function find(string $key): ?Entry
    {
        $entry = $this->entries[$key] ?? null;
        if ($entry !== null && $entry->expires <= self::now()) {
            $this->remove($key);
            $this->counts['expirations']++;
            return null;
        }
        return $entry;
    }

    /** Returns an entry with a value. This counts as a use. */
    public function use(string $key): ?Entry
    {
        $entry = $this->find($key);
        if ($entry?->value === null) {
            $this->counts['misses']++;
            return null;
        }
        $this->counts['hits']++;
        if ($this->name === 'volatile') {
            unset($this->entries[$key]);
            $this->entries[$key] = $entry;
        }
        return $entry;
    }

    /** Stores an entry. $value: null for a lease. $ttl: 0 means no limit. Returns false if there is no room. */
    public function put(string $key, ?Encoded $value, float $ttl): bool
    {
        $bytes = Entry::bytesOf($key, $value);
        if ($this->isTooLarge($key, $value)) {
            return $this->refuse('size');
        }
        $old = isset($this->entries[$key]) ? $this->entries[$key]->bytes : 0;
        if (!$this->makeRoom($bytes - $old, $key)) {
            return $this->refuse('full');
        }
        $this->counts[$this->remove($key) ? 'replaces' : 'inserts']++;
        $now = self::now();
        $this->entries[$key] = new Entry($value, $ttl > 0 ? $now + $ttl : INF, $this->nextVersion(), $now, $bytes);
        $this->used += $bytes;
        return true;
    }

    public function isTooLarge(string $key, ?Encoded $value): bool
    {
        return Entry::bytesOf($key, $value) > intdiv($this->size, 2);
    }

    public function delete(string $key): bool
    {
        if ($this->find($key) === null) {
            return false;
        }
        $this->counts['deletes']++;
        return $this->remove($key);
    }

    public function clear(): void
    {
        $this->entries = [];
        $this->pools = [];
        $this->used = 0;
    }

    /** @return \Generator<string, Entry> live entries with a value */
    public function walk(string $prefix = ''): \Generator
    {
        $now = self::now();
        foreach ($this->entries as $key => $entry) {
            if ($entry->value !== null && $entry->expires > $now && str_starts_with((string) $key, $prefix)) {
                yield (string) $key => $entry;
            }
        }
    }

    private function remove(string $key): bool
    {
        $entry = $this->entries[$key] ?? null;
        unset($this->entries[$key]);
        $this->used -= $entry !== null ? $entry->bytes : 0;
        return $entry !== null;
    }

    private function makeRoom(int $bytes, string $except): bool
    {
        if ($this->used + $bytes <= $this->size) {
            return true;
        }
        $now = self::now();
        foreach ($this->entries as $key => $entry) {
            if ($entry->expires <= $now) {
                $this->remove((string) $key);
                $this->counts['expirations']++;
            }
        }
        if ($this->name !== 'volatile') {
            return $this->used + $bytes <= $this->size;
        }
        $goal = $this->size - intdiv($this->size, 16) - $bytes; // removes more than needed, so that the next writes find room
        foreach ($this->entries as $key => $_) {
            if ($this->used <= $goal) {
                break;
            }
            if ((string) $key !== $except) {
                $this->remove((string) $key);
                $this->counts['evictions']++;
            }
        }
        return $this->used + $bytes <= $this->size;
    }

    private function refuse(string $cause): bool
    {
        $this->refusals[$cause] = ($this->refusals[$cause] ?? 0) + 1;
        return false;
    }

    /* ---- pools */

    public function pool(string $name): ?PoolRecord
    {
        $pool = $this->pools[$name] ?? null;
        if ($pool !== null && $pool->ends <= self::now()) {
            unset($this->pools[$name]);
            return null;
        }
        return $pool;
    }

    /** Creates a pool; if it exists, it becomes empty. */
    public function beginPool(string $name, float $seconds = INF): PoolRecord
    {
        return $this->pools[$name] = new PoolRecord($this->nextVersion(), self::now() + $seconds);
    }

    /** @return array<string, string> names of live pools by the prefix of their entries */
    public function poolPrefixes(): array
    {
        $prefixes = [];
        foreach ($this->pools as $name => $_) {
            $pool = $this->pool((string) $name);
            if ($pool !== null) {
                $prefixes[self::poolPrefix($pool->generation)] = (string) $name;
            }
        }
        return $prefixes;
    }

    public static function poolPrefix(int $generation): string
    {
        return self::POOL . pack('J', $generation);
    }

    /* ---- reservations */

    public function lock(string $key, float $lease = 0.0): bool
    {
        if (($this->locks[$key] ?? 0.0) > self::now()) {
            return false;
        }
        $this->locks[$key] = $lease > 0 ? self::now() + $lease : INF;
        if (\Fiber::getCurrent() !== null) {
            $this->locksOfFibers[$key] = true;
        } else {
            unset($this->locksOfFibers[$key]);
        }
        return true;
    }

    /**
     * Ends the locks of a request that is over, and returns their number. Ends none if fibers or a remember() may still need their
     * locks.
     */
    public static function endLocks(): int
    {
        $now = self::now();
        $ended = 0;
        foreach (self::$stores as $store) {
            if (\Fiber::getCurrent() !== null || $store->computing !== [] || array_intersect_key($store->locks, $store->locksOfFibers) !== []) {
                return 0;
            }
            $ended += \count(array_filter($store->locks, fn(float $until) => $until > $now));
        }
        foreach (self::$stores as $store) {
            $store->locks = [];
        }
        if ($ended > 0 && !self::$saidLocked && (bool) \ini_get('log_errors')) {
            self::$saidLocked = true;
            error_log("Larder: a worker's request has ended with $ended keys locked, which are unlocked now. This is logged once");
        }
        return $ended;
    }

    public function unlock(string $key): bool
    {
        $until = $this->locks[$key] ?? 0.0;
        if ($this->isComputing($key, onlyReserved: true)) {
            return false;
        }
        unset($this->locks[$key]);
        return $until > self::now();
    }

    /* ---- values that are being computed ---- */

    public function isComputing(string $key, bool $onlyReserved = false, bool $onlyHere = false): bool
    {
        foreach ($this->computing as $i => $computing) {
            if ($computing->key !== $key) {
                continue;
            }
            if ($computing->isGone()) {
                unset($this->computing[$i]);
                if ($computing->hasReserved) {
                    unset($this->locks[$key]);
                }
                return $this->isComputing($key, $onlyReserved, $onlyHere);
            }
            if ((!$onlyReserved || $computing->hasReserved) && (!$onlyHere || $computing->isHere())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Pauses this fiber for a moment, so that the fiber that is computing the value of the key can go on. Returns false if this fiber
     * cannot pause. Also returns false if another fiber waits for another key, because the two computations could then wait for each
     * other.
     */
    public function waitFor(string $key): bool
    {
        $wait = [$this, $key];
        if (array_filter(self::$waits, fn(array $other) => $other !== $wait) !== []) {
            return false;
        }
        self::$waits[] = $wait;
        $own = array_key_last(self::$waits);
        try {
            return Waits::pause();
        } finally {
            unset(self::$waits[$own]);
        }
    }

    public function compute(Computing $computing, callable $compute): mixed
    {
        $this->computing[] = $computing;
        try {
            return $computing->run($compute);
        } finally {
            $this->computing = array_filter($this->computing, fn(Computing $other) => $other !== $computing);
            if ($computing->hasReserved) {
                unset($this->locks[$computing->key]);
            }
        }
    }

    /* ---- facts */

    public static function info(string $name): StaticCacheInfo
    {
        $store = self::named($name);
        return Record::make(StaticCacheInfo::class, [
            'enabled' => $store !== null,
            'available' => $store !== null,
            'startup_failed' => false,
            'backend_initialized' => $store !== null,
            'configured_memory' => $store !== null ? $store->size : Settings::configuredSize($name),
            'shared_memory' => $store !== null ? $store->used : 0,
            'entry_count' => $store !== null ? \count($store->entries) : 0,
            'segment_count' => $store !== null ? 1 : 0,
            'shared_model' => 'process',
            'failure_reason' => Settings::reasonOff($name),
            'used_memory' => $store !== null ? $store->used : 0,
            'entry_limit' => $store !== null ? self::ENTRY_LIMIT : 0,
            'value_limit' => $store !== null ? intdiv($store->size, 2) : 0,
            'hits' => $store->counts['hits'] ?? 0,
            'misses' => $store->counts['misses'] ?? 0,
            'evictions' => $store->counts['evictions'] ?? 0,
            'expirations' => $store->counts['expirations'] ?? 0,
            'refusals' => $store !== null ? array_sum($store->refusals) : 0,
            'copies' => 0,
            'recoveries' => 0,
            'deaths' => 0,
            'refusal_causes' => $store !== null ? $store->refusals : [],
        ]);
    }

    /** @return array<string, int> */
    public function counts(): array
    {
        return $this->counts;
    }
}
