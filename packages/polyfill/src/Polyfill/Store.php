<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\StaticCacheInfo;

/**
 * The entries of a store, in the order of their last use in this process.
 *
 * - A full store evicts the first entries of this order. A store that evicts nothing refuses new values.
 * - The key of a pool's entry consists of POOL, the pool's generation, and the program's key. Clearing a pool gives it another generation.
 * - Processes share all records through the log. A public method that reads records calls Log::load() first. A public method that
 *   writes records does so within Log::run().
 * - A process adds its own counts of hits, misses and so on to the shared ones at the end of a request.
 */
final class Store implements Part
{
    public const POOL = "\0lrd";
    private const ENTRY_LIMIT = PHP_INT_MAX;
    private const COUNTS = ['hits' => 0, 'misses' => 0, 'evictions' => 0, 'expirations' => 0, 'inserts' => 0, 'replaces' => 0, 'deletes' => 0];
    /** How many seconds a waiting process sleeps between two checks: from FIRST_PAUSE up to LAST_PAUSE. */
    private const FIRST_PAUSE = 0.0005;
    public const LAST_PAUSE = 0.02;

    /** @var array<string, self> */
    private static array $stores = [];
    /** @var array<int, array{self, string}> stores and keys that fibers wait for */
    private static array $waits = [];
    private static bool $saidLocked = false;

    public readonly Log $log;
    /** @var array<Entry> */
    private array $entries = [];
    /** @var array<PoolRecord> by name */
    private array $pools = [];
    /** @var array<array{float, string}> by reserved key: when the reservation ends, and its owner */
    private array $locks = [];
    /** @var array<string, \WeakReference<\Fiber<mixed, mixed, mixed, mixed>>> the fibers that have reserved keys in $locks */
    private array $locksOfFibers = [];
    /** @var array<array<int>> by owner and key: how many times the owner is waiting for the key now */
    private array $waiting = [];
    /** @var array<array<int, array{float, string}>> by semaphore name and permit number: when the permit ends, and its owner */
    private array $permits = [];
    /** @var array<string, int> the shared counts of all processes; they do not yet include $counts */
    private array $totals = self::COUNTS;
    /** @var array<string, int> the counts of this process */
    private array $counts = self::COUNTS;
    /** @var array<array{int, int, int}> by the name of a pool: the hits, misses and stores of this process */
    private array $uses = [];
    /** @var array<string, int> the shared refusals of all processes; they do not yet include $refusals */
    private array $totalRefusals = [];
    /** @var array<string, int> the refusals of this process */
    private array $refusals = [];
    /** @var array<Computing> */
    private array $computing = [];
    private int $used = 0;
    private int $version = 0;

    private function __construct(public readonly string $name, public readonly int $size)
    {
        $this->log = new Log($this, Place::of($name));
    }

    /** Returns the store with this name, or null if it is off. */
    public static function named(string $name): ?self
    {
        return self::$stores[$name] ?? (Settings::reasonOff($name) === null
            ? self::$stores[$name] = new self($name, Settings::size($name)) : null);
    }

    /** Returns a time that all processes share, and that runs on while the computer sleeps. */
    public static function now(): float
    {
        return microtime(true);
    }

    /** Returns a number that this store has not returned before. */
    public function nextVersion(): int
    {
        return ++$this->version;
    }

    /* ---- entries */

    public function find(string $key): ?Entry
    {
        $this->log->load();
        $entry = $this->entries[$key] ?? null;
        if ($entry !== null && $entry->expires <= self::now()) {
            $this->log->run(fn() => ($this->entries[$key]->expires ?? INF) <= self::now() && $this->remove($key));
            $this->counts['expirations']++;
            return null;
        }
        return $entry;
    }

    /** Returns an entry if its value can be restored, or null. Counts a hit or a miss. May load classes. */
    public function use(string $key): ?Entry
    {
        $entry = $this->find($key);
        if ($entry?->value === null || !$entry->value->isReadable()) {
            $this->counts['misses']++;
            return null;
        }
        $this->counts['hits']++;
        if ($this->name === 'volatile' && isset($this->entries[$key])) {
            $last = $this->entries[$key];
            unset($this->entries[$key]);
            $this->entries[$key] = $last;
        }
        return $entry;
    }

    /** Stores an entry. $value is null for a lease. $ttl: seconds, 0: no limit. Returns false if there is no room. */
    public function put(string $key, ?Encoded $value, float $ttl): bool
    {
        return $this->log->run(function () use ($key, $value, $ttl): bool {
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
            $this->log->changed('entry', $key);
            return true;
        });
    }

    /** Changes an entry that was found in the current call of Log::run(). */
    public function update(string $key, Entry $entry, ?Encoded $value = null, ?float $expires = null, ?Window $window = null): void
    {
        $entry->value = $value ?? $entry->value;
        $entry->expires = $expires ?? $entry->expires;
        $entry->window = $window ?? $entry->window;
        $this->log->changed('entry', $key);
    }

    public function isTooLarge(string $key, ?Encoded $value): bool
    {
        return Entry::bytesOf($key, $value) > intdiv($this->size, 2);
    }

    public function delete(string $key): bool
    {
        return $this->log->run(function () use ($key): bool {
            if ($this->find($key) === null) {
                return false;
            }
            $this->counts['deletes']++;
            return $this->remove($key);
        });
    }

    public function clear(): void
    {
        $this->log->run(function (): void {
            foreach (array_keys($this->entries) as $key) {
                $this->remove((string) $key);
            }
            foreach (array_keys($this->pools) as $name) {
                unset($this->pools[$name]);
                $this->log->changed('pool', (string) $name);
            }
        });
    }

    /** @return \Generator<string, Entry> live entries with a value */
    public function walk(string $prefix = ''): \Generator
    {
        $this->log->load();
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
        if ($entry === null) {
            return false;
        }
        unset($this->entries[$key]);
        $this->used -= $entry->bytes;
        $this->log->changed('entry', $key);
        return true;
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
        $goal = $this->size - intdiv($this->size, 16) - $bytes; // free some room for the next writes, too
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
        $this->log->load();
        $pool = $this->pools[$name] ?? null;
        return $pool !== null && $pool->ends > self::now() ? $pool : null;
    }

    /** Creates a pool, or empties it. */
    public function beginPool(string $name, float $seconds = INF): PoolRecord
    {
        return $this->log->run(function () use ($name, $seconds): PoolRecord {
            $this->log->changed('pool', $name);
            unset($this->uses[$name]);
            return $this->pools[$name] = new PoolRecord($this->nextVersion(), self::now() + $seconds);
        });
    }

    /** Returns the pool, and creates it if it does not exist. */
    public function makePool(string $name): PoolRecord
    {
        $make = fn(): PoolRecord => $this->pool($name) ?? $this->beginPool($name);
        return $this->pool($name) ?? $this->log->run($make);
    }

    /** Empties a pool. Returns false if there is no such pool. */
    public function clearPool(string $name): bool
    {
        return $this->log->run(function () use ($name): bool {
            $pool = $this->pool($name);
            if ($pool === null) {
                return false;
            }
            $pool->generation = $this->nextVersion();
            $this->log->changed('pool', $name);
            return true;
        });
    }

    /** @param int $generation the generation of the pool; a newer pool with this name has another generation */
    public function prolongPool(string $name, int $generation, float $seconds): bool
    {
        return $this->log->run(function () use ($name, $generation, $seconds): bool {
            $pool = $this->pool($name);
            if ($pool?->generation !== $generation) {
                return false;
            }
            $pool->ends = self::now() + $seconds;
            $this->log->changed('pool', $name);
            return true;
        });
    }

    public function countUse(string $pool, int $hits, int $misses, int $stores): void
    {
        $uses = $this->uses[$pool] ?? [0, 0, 0];
        $this->uses[$pool] = [$uses[0] + $hits, $uses[1] + $misses, $uses[2] + $stores];
    }

    /** @return array{int, int, int} hits, misses and stores */
    public function uses(string $pool): array
    {
        $record = $this->pool($pool);
        $uses = $this->uses[$pool] ?? [0, 0, 0];
        return $record !== null ? [$record->hits + $uses[0], $record->misses + $uses[1], $record->stores + $uses[2]] : [0, 0, 0];
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
        return $this->log->run(function () use ($key, $lease): bool {
            if ($this->ownerOf($key) !== null) {
                return false;
            }
            $this->locks[$key] = [$lease > 0 ? self::now() + $lease : INF, Owner::own()];
            $this->log->changed('lock', $key);
            $fiber = \Fiber::getCurrent();
            if ($fiber !== null) {
                /** @phpstan-ignore assign.propertyType */
                $this->locksOfFibers[$key] = \WeakReference::create($fiber);
            } else {
                unset($this->locksOfFibers[$key]);
            }
            return true;
        });
    }

    /**
     * Unlocks the keys that a request has left locked, and returns their number. Does nothing if the request may still need its locks: in
     * fibers, inside remember(), or while fibers have locks.
     */
    public static function endLocks(): int
    {
        $ended = 0;
        foreach (self::$stores as $store) {
            $locks = $store->ownLocks();
            $running = array_filter($store->locksOfFibers, static fn(\WeakReference $fiber) => $fiber->get()?->isTerminated() === false);
            if (\Fiber::getCurrent() !== null || $store->computing !== [] || array_intersect_key($locks, $running) !== []) {
                return 0;
            }
            $ended += \count($locks);
        }
        foreach (self::$stores as $store) {
            foreach (array_keys($store->ownLocks()) as $key) {
                $store->unlock((string) $key);
            }
        }
        if ($ended > 0 && !self::$saidLocked && (bool) \ini_get('log_errors')) {
            self::$saidLocked = true;
            error_log("Larder: a worker's request has ended with " . ($ended === 1 ? '1 key locked, which is' : "$ended keys locked, which are") . ' unlocked now. This is logged once');
        }
        return $ended;
    }

    public function unlock(string $key): bool
    {
        return !$this->isComputing($key, onlyReserved: true) && $this->endLock($key);
    }

    /** Returns true if another process has locked the key. */
    public function isLockedElsewhere(string $key): bool
    {
        $this->log->load();
        $owner = $this->ownerOf($key);
        return $owner !== null && !Owner::isOwn($owner);
    }

    /** Unlocks a key. Returns false if this process does not have the lock, or its time is over. */
    private function endLock(string $key): bool
    {
        return $this->log->run(function () use ($key): bool {
            [$until, $owner] = $this->locks[$key] ?? [0.0, ''];
            if ($until === 0.0 || !Owner::isOwn($owner)) {
                return false;
            }
            unset($this->locks[$key]);
            $this->log->changed('lock', $key);
            return $until > self::now();
        });
    }

    /** Returns the owner of the lock of a key, or null. */
    private function ownerOf(string $key): ?string
    {
        [$until, $owner] = $this->locks[$key] ?? [0.0, ''];
        return $until > self::now() && Owner::isAlive($owner) ? $owner : null;
    }

    /** @return array<array{float, string}> */
    private function ownLocks(): array
    {
        $this->log->load();
        $now = self::now();
        return array_filter($this->locks, static fn(array $lock) => $lock[0] > $now && Owner::isOwn($lock[1]));
    }

    /**
     * Waits for up to $seconds until the key is unlocked or $found returns true. To avoid a deadlock, returns false at once if another
     * process waits for a key that this process has locked.
     * @param callable(): bool $found
     */
    public function waitForLock(string $key, float $seconds, callable $found): bool
    {
        if (!$this->log->run(fn() => $this->beginWait($key))) {
            return false;
        }
        try {
            $end = self::now() + $seconds;
            for ($pause = self::FIRST_PAUSE; self::now() < $end && !$found() && $this->isLockedElsewhere($key); $pause = min(1.5 * $pause, self::LAST_PAUSE)) {
                Waits::sleep($pause);
            }
        } finally {
            $this->log->run(fn() => $this->countWait($key, -1));
        }
        return true;
    }

    private function beginWait(string $key): bool
    {
        foreach ($this->waiting as $owner => $keys) {
            if (!Owner::isAlive((string) $owner)) {
                unset($this->waiting[$owner]);
                $this->log->changed('wait', (string) $owner);
                continue;
            }
            foreach ($keys as $other => $_) {
                if (!Owner::isOwn((string) $owner) && Owner::isOwn($this->locks[$other][1] ?? '-')) {
                    return false;
                }
            }
        }
        $this->addCounts(); // so that other processes see the miss of this call
        $this->countWait($key, 1);
        return true;
    }

    private function countWait(string $key, int $more): void
    {
        $count = ($this->waiting[Owner::own()][$key] ?? 0) + $more;
        $this->waiting[Owner::own()][$key] = $count;
        if ($count <= 0) {
            unset($this->waiting[Owner::own()][$key]);
        }
        $this->log->changed('wait', Owner::own());
    }

    /* ---- permits of semaphores */

    /** @return array<int, array{float, string}> by number of each taken permit: when the permit ends, and its owner */
    public function permits(string $name): array
    {
        $this->log->load();
        $now = self::now();
        return array_filter($this->permits[$name] ?? [], static fn(array $permit) => $permit[0] > $now && Owner::isAlive($permit[1]));
    }

    /** @param array<int, array{float, string}> $permits */
    public function setPermits(string $name, array $permits): void
    {
        $this->permits[$name] = $permits;
        if ($permits === []) {
            unset($this->permits[$name]);
        }
        $this->log->changed('permits', $name);
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
                    $this->endLock($key);
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
     * Pauses this fiber, so that the fiber that computes the key's value can run. Returns false if this fiber cannot pause. To avoid a
     * deadlock, also returns false if another fiber waits for a different key.
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
                $this->endLock($computing->key);
            }
        }
    }

    /* ---- facts */

    public static function info(string $name): StaticCacheInfo
    {
        $store = self::named($name);
        $store?->log->load();
        $counts = $store?->counts() ?? self::COUNTS;
        $refusals = $store?->refusals() ?? [];
        return Record::make(StaticCacheInfo::class, [
            'enabled' => $store !== null,
            'available' => $store !== null,
            'startup_failed' => false,
            'backend_initialized' => $store !== null,
            'configured_memory' => $store !== null ? $store->size : Settings::configuredSize($name),
            'shared_memory' => $store !== null ? $store->used : 0,
            'entry_count' => $store !== null ? \count($store->entries) : 0,
            'segment_count' => $store !== null ? 1 : 0,
            'shared_model' => $store?->log->path === null ? 'process' : (Place::isAnonymous() ? 'anonymous' : $store->log->path),
            'failure_reason' => Settings::reasonOff($name),
            'used_memory' => $store !== null ? $store->used : 0,
            'entry_limit' => $store !== null ? self::ENTRY_LIMIT : 0,
            'value_limit' => $store !== null ? intdiv($store->size, 2) : 0,
            'hits' => $counts['hits'],
            'misses' => $counts['misses'],
            'evictions' => $counts['evictions'],
            'expirations' => $counts['expirations'],
            'refusals' => array_sum($refusals),
            'copies' => 0,
            'recoveries' => 0,
            'deaths' => 0,
            'refusal_causes' => $refusals,
        ]);
    }

    /** @return array<string, int> */
    public function counts(): array
    {
        return self::sum($this->totals, $this->counts);
    }

    /** @return array<string, int> */
    public function refusals(): array
    {
        return self::sum($this->totalRefusals, $this->refusals);
    }

    /**
     * @param array<string, int> $a
     * @param array<string, int> $b
     * @return array<string, int>
     */
    private static function sum(array $a, array $b): array
    {
        foreach ($b as $name => $count) {
            $a[$name] = ($a[$name] ?? 0) + $count;
        }
        return $a;
    }

    /* ---- what the log keeps */

    public function record(string $kind, string $key): mixed
    {
        $pool = $kind === 'pool' ? $this->pools[$key] ?? null : null;
        return match ($kind) {
            'entry' => isset($this->entries[$key]) ? $this->entries[$key]->record() : null,
            'pool' => $pool !== null ? [$pool->generation, $pool->ends, $pool->hits, $pool->misses, $pool->stores] : null,
            'lock' => $this->locks[$key] ?? null,
            'wait' => ($this->waiting[$key] ?? []) !== [] ? $this->waiting[$key] : null,
            'permits' => $this->permits[$key] ?? null,
            default => [$this->version, $this->totals, $this->totalRefusals],
        };
    }

    public function apply(string $kind, string $key, mixed $record): void
    {
        \assert($record === null || \is_array($record));
        if ($kind === 'entry') {
            $this->used -= isset($this->entries[$key]) ? $this->entries[$key]->bytes : 0;
            unset($this->entries[$key]);
            if ($record !== null) {
                $entry = $this->entries[$key] = Entry::fromRecord($record);
                $this->used += $entry->bytes;
                $this->version = max($this->version, $entry->version);
            }
        } elseif ($kind === 'counts') {
            /** @var array{int, array<string, int>, array<string, int>} $record */
            [$version, $this->totals, $this->totalRefusals] = $record;
            $this->version = max($this->version, $version);
        } elseif ($record === null) {
            unset($this->{['pool' => 'pools', 'lock' => 'locks', 'wait' => 'waiting', 'permits' => 'permits'][$kind]}[$key]); // @phpstan-ignore-line
        } elseif ($kind === 'pool') {
            /** @var array{int, float, int, int, int} $record */
            $pool = $this->pools[$key] = new PoolRecord($record[0], $record[1]);
            [, , $pool->hits, $pool->misses, $pool->stores] = $record;
            $this->version = max($this->version, $pool->generation);
        } elseif ($kind === 'lock') {
            /** @var array{float, string} $record */
            $this->locks[$key] = $record;
        } elseif ($kind === 'wait') {
            /** @var array<int> $record */
            $this->waiting[$key] = $record;
        } else {
            /** @var array<int, array{float, string}> $record */
            $this->permits[$key] = $record;
            $this->version = max($this->version, ...array_keys($record));
        }
    }

    public function all(): iterable
    {
        yield ['counts', ''];
        $kinds = ['entry' => $this->entries, 'pool' => $this->pools, 'lock' => $this->locks, 'wait' => $this->waiting, 'permits' => $this->permits];
        foreach ($kinds as $kind => $records) {
            foreach ($records as $key => $_) {
                yield [$kind, (string) $key];
            }
        }
    }

    public function forget(): void
    {
        $this->entries = $this->pools = $this->locks = $this->waiting = $this->permits = $this->totalRefusals = [];
        $this->totals = self::COUNTS;
        $this->used = 0;
    }

    public function forked(): void
    {
        Owner::forked();
        $this->counts = self::COUNTS;
        $this->refusals = $this->uses = [];
    }

    public function finish(): void
    {
        $uses = array_filter($this->uses, fn(string $pool) => isset($this->pools[$pool]), ARRAY_FILTER_USE_KEY);
        if (array_filter($this->counts) !== [] || $this->refusals !== [] || $uses !== []) {
            $this->log->run($this->addCounts(...));
        }
    }

    private function addCounts(): void
    {
        [$this->totals, $this->totalRefusals] = [$this->counts(), $this->refusals()];
        $this->counts = self::COUNTS;
        $this->refusals = [];
        $this->log->changed('counts', '');
        foreach ($this->uses as $name => $_) {
            $pool = $this->pools[$name] ?? null;
            if ($pool !== null) {
                [$pool->hits, $pool->misses, $pool->stores] = $this->uses((string) $name);
                $this->log->changed('pool', (string) $name);
            }
        }
        $this->uses = [];
    }
}
