<?php

declare(strict_types=1);

namespace Larder\Polyfill;

use Larder\CacheStoreType;
use Larder\KeyInfo;
use Larder\StaticCacheException;
use Larder\Throttle;

/** The methods of VolatileCache, PinnedCache and Pool. Without a store, every read is a miss. */
final class Cache
{
    private const POOL_OVERHEAD = 14;
    /** After this many seconds, remember() stops waiting for another fiber or process, and computes the value itself. */
    private const WAIT = 10;
    private const BROADCAST = Store::POOL . ':broadcast=';
    private const BROADCAST_VERSION = Store::POOL . ':broadcast#';

    private static ?self $volatile = null;
    private static ?self $pinned = null;

    private readonly ?Store $store;
    private readonly int $keyMax;

    /** @param string|null $pool the name of a pool; null: the store itself */
    public function __construct(private readonly string $storeName, private readonly ?string $pool = null)
    {
        $this->store = Store::named($storeName);
        $this->keyMax = $pool !== null ? Fault::KEY_MAX - self::POOL_OVERHEAD - \strlen($pool) : Fault::KEY_MAX;
    }

    public static function volatile(): self
    {
        return self::$volatile ??= new self('volatile');
    }

    public static function pinned(): self
    {
        return self::$pinned ??= new self('pinned');
    }

    /* ---- reading */

    public function get(string $key, mixed $default): mixed
    {
        $entry = $this->use($this->prefix(), $this->checkKey($key));
        return $entry?->value !== null ? $entry->value->decode() : $default;
    }

    /**
     * @param array<mixed> $keys
     * @param array<mixed>|null $default
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default): array
    {
        $keys = $this->checkKeys($keys);
        $prefix = $this->prefix();
        $entries = [];
        foreach ($keys as $key) {
            $entries[$key] ??= $this->use($prefix, $key);
        }
        $values = [];
        foreach ($entries as $key => $entry) { // runs hooks
            $values[$key] = $entry?->value !== null ? $entry->value->decode() : $default[$key] ?? null;
        }
        return $values;
    }

    public function has(string $key): bool
    {
        $entry = $this->find($key);
        return $entry?->value?->isReadable() ?? $entry?->window !== null;
    }

    public function keyInfo(string $key): ?KeyInfo
    {
        $entry = $this->find($key);
        return $entry?->value === null ? null : Record::make(KeyInfo::class, [
            'key' => $key,
            'store_type' => $entry->value->type(),
            'size' => $entry->value->size,
            'ttl' => is_finite($entry->expires) ? $entry->expires - Store::now() : null,
            'version' => $entry->value->integer() === null ? $entry->version : 0,
            'form' => 'ready',
            'ready_size' => $entry->value->size,
        ]);
    }

    public function storeType(string $key): CacheStoreType
    {
        return $this->find($key)?->value?->type() ?? CacheStoreType::NotFound;
    }

    /** @return list<string> */
    public function keys(string $prefix): array
    {
        $keys = [];
        foreach ($this->store?->walk($prefix) ?? [] as $key => $_) {
            if (!str_starts_with($key, Store::POOL)) {
                $keys[] = $key;
            }
        }
        return $keys;
    }

    /* ---- writing */

    public function set(string $key, mixed $value, int|float $ttl, ?string $form = null, bool $add = false): bool
    {
        $this->checkKey($key);
        $ttl = Fault::seconds($ttl, 3);
        Fault::form($form, 4);
        $prefix = $this->prefix(make: true);
        $encoded = $this->encode($value, 2, '$value');
        if ($prefix === null) {
            return false;
        }
        if (!$add) {
            return $this->put($prefix, $key, $encoded, $ttl, 'The value');
        }
        do {
            $old = $this->store?->find($prefix . $key);
            // isReadable() may run code of the program. If this code stores the key, putIf() returns null, and the loop tries again.
            if ($old !== null && $old->value?->isReadable() !== false) {
                return false;
            }
            $stored = $this->putIf(static fn(?Entry $entry) => $entry?->version === $old?->version, $prefix, $key, $encoded, $ttl, 'The value');
        } while ($stored === null);
        return $stored;
    }

    /** @param array<mixed> $values */
    public function setMultiple(array $values, int|float $ttl, ?string $form = null): bool
    {
        $ttl = Fault::seconds($ttl, 2);
        Fault::form($form, 3);
        foreach ($values as $key => $_) {
            Fault::oneOfKeys($key, $this->keyMax, $this->pool === null);
        }
        $encoded = [];
        foreach ($values as $key => $value) {
            $encoded[$key] = $this->encode($value, 1, '$values' . Refused::keyStep($key));
        }
        $prefix = $this->prefix(make: true);
        $all = $prefix !== null;
        foreach ($encoded as $key => $value) {
            $all = $prefix !== null && $this->put($prefix, (string) $key, $value, $ttl, 'A value') && $all;
        }
        return $all;
    }

    public function delete(string $key): bool
    {
        $this->checkKey($key);
        $prefix = $this->prefix();
        return $prefix !== null && $this->store?->delete($prefix . $key) === true;
    }

    /** @param array<mixed> $keys */
    public function deleteMultiple(array $keys): bool
    {
        $all = $this->store !== null;
        foreach ($this->checkKeys($keys) as $key) {
            $prefix = $this->prefix();
            $all = $prefix !== null && $this->store?->delete($prefix . $key) === true && $all;
        }
        return $all;
    }

    public function clear(): bool
    {
        $this->pool === null ? $this->store?->clear() : $this->store?->clearPool($this->pool);
        return $this->store !== null;
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $this->checkKey($key);
        $ttl = Fault::seconds($ttl, 2);
        return $this->change($key, fn(Entry $entry): array => ['expires' => $ttl > 0 ? Store::now() + $ttl : INF]);
    }

    public function add(string $key, int $step, int|float $ttl, bool $down = false): int|false
    {
        $this->checkKey($key);
        $ttl = Fault::seconds($ttl, 3);
        if ($down && $step === PHP_INT_MIN) {
            throw Fault::argument(\ValueError::class, 2, 'must be greater than ' . PHP_INT_MIN);
        }
        $step = $down ? -$step : $step;
        $prefix = $this->prefix(make: true);
        if ($prefix === null || $this->store === null) {
            return false;
        }
        $store = $this->store;
        return $store->log->run(function () use ($store, $prefix, $key, $step, $ttl): int|false {
            $entry = $store->find($prefix . $key);
            if ($entry?->window !== null) {
                return false;
            }
            if ($entry?->value === null) {
                return $this->put($prefix, $key, Encoded::scalar($step), $ttl, '') ? $step : false;
            }
            $value = $entry->value->integer();
            $sum = $value !== null ? $value + $step : null;
            if (!\is_int($sum)) { // null: the value is not an int; float: the sum is too large for an int
                return false;
            }
            $store->update($prefix . $key, $entry, Encoded::scalar($sum));
            return $sum;
        });
    }

    /* ---- what processes agree on */

    public function throttle(string $key, int $limit, int|float $per, int $cost, int|float $wait, bool $sliding): Throttle
    {
        $per = Fault::nanoseconds($per, 3, least: 1);
        $wait = Fault::nanoseconds($wait, 5);
        if ($limit < 1 || $limit > $per) {
            throw Fault::argument(\ValueError::class, 2, "must be between 1 and $per, one for each nanosecond of \$per");
        }
        if ($cost < 0 || $cost > $limit) {
            throw Fault::argument(\ValueError::class, 4, "must be between 0 and $limit, the limit");
        }
        if ($sliding && $per < 1_000_000_000) {
            throw Fault::argument(\ValueError::class, 3, 'must be at least 1 with $sliding');
        }
        if ($sliding && $limit > Window::LIMIT_MAX) {
            throw Fault::argument(\ValueError::class, 2, 'must be between 1 and ' . Window::LIMIT_MAX . ' with $sliding');
        }
        if ($sliding && $wait !== 0) {
            throw Fault::argument(\ValueError::class, 5, 'must be 0 with $sliding');
        }
        $this->checkKey($key);
        $prefix = $this->prefix(make: true);
        if ($prefix === null || $this->store === null) {
            throw new StaticCacheException("throttle() of \"" . Fault::shown($key) . "\" cannot be answered: the store is off (info()->failure_reason)");
        }
        $store = $this->store;
        return $store->log->run(fn() => $this->takeUnits($store, $key, $prefix . $key, $limit, $per, $cost, $wait, $sliding));
    }

    private function takeUnits(Store $store, string $key, string $whole, int $limit, int $per, int $cost, int $wait, bool $sliding): Throttle
    {
        $entry = $store->find($whole);
        $now = (int) (Store::now() * 1e9);
        $counted = $sliding ? Window::of($entry, $per, $now) : null;
        $until = $entry === null ? 0 : $entry->value?->integer();
        if ($sliding ? $counted === null : $until === null) {
            throw new StaticCacheException("The entry \"" . Fault::shown($key) . "\" is no rate limit with this \$sliding and \$per; use another key, or delete it");
        }
        if ($counted !== null) {
            $allowed = $counted->take($limit, $cost);
            if ($allowed && $cost > 0) {
                $made = $store->put($whole, null, $this->storeName === 'volatile' ? 2e-9 * $per + 10 : 0) ? $store->find($whole) : null;
                if ($made === null) {
                    throw new StaticCacheException("throttle() of \"" . Fault::shown($key) . "\" cannot be answered: no room");
                }
                $store->update($whole, $made, window: $counted);
            }
            return Record::make(Throttle::class, [
                'allowed' => $allowed,
                'remaining' => max(0, $limit - $counted->units()),
                'retryAfter' => $allowed ? 0.0 : $counted->until($counted->units() + $cost - $limit) / 1e9,
                'resetAfter' => $counted->until($counted->units()) / 1e9,
            ]);
        }
        $interval = intdiv($per - 1, $limit) + 1;
        $window = $interval * $limit;
        $from = max($until, $now);
        $excess = $from + $interval * $cost - $now - $window;
        $allowed = $excess <= $wait;
        $to = $allowed ? $from + $interval * $cost : $from;
        if ($allowed && $cost > 0 && !$store->put($whole, Encoded::scalar($to), $this->storeName === 'volatile' ? 2e-9 * ($window + $wait) + 10 : 0)) {
            throw new StaticCacheException("throttle() of \"" . Fault::shown($key) . "\" cannot be answered: no room");
        }
        return Record::make(Throttle::class, [
            'allowed' => $allowed,
            'remaining' => (int) (max(0, $window - ($to - $now)) / $interval),
            'retryAfter' => max(0, $excess) / 1e9,
            'resetAfter' => ($to - $now) / 1e9,
        ]);
    }

    public function take(string $key, mixed $default): mixed
    {
        $prefix = $this->prefix();
        $entry = $this->use($prefix, $this->checkKey($key));
        $encoded = $entry?->value;
        if ($this->store === null || $entry === null || $encoded === null) {
            return $default;
        }
        $value = $encoded->decode(); // runs hooks
        $store = $this->store;
        $taken = $store->log->run(function () use ($store, $prefix, $key, $entry, $encoded): bool {
            $found = $store->find($prefix . $key);
            return $found !== null && $found->version === $entry->version && $found->value === $encoded && $store->delete($prefix . $key);
        });
        return $taken ? $value : $this->take($key, $default);
    }

    /** @return array{mixed, int}|null */
    public function getVersioned(string $key): ?array
    {
        $entry = $this->use($this->prefix(), $this->checkKey($key));
        return $entry?->value === null ? null : [$entry->value->decode(), $entry->value->integer() === null ? $entry->version : 0];
    }

    public function replaceIf(string $key, mixed $value, int $version, int|float $ttl): bool
    {
        Fault::version($version, 3);
        $ttl = Fault::seconds($ttl, 4);
        $this->checkKey($key);
        $encoded = $this->encode($value, 2, '$value');
        $prefix = $this->prefix();
        return $prefix !== null && $this->putIf(fn(?Entry $entry) => self::isAt($entry, $version), $prefix, $key, $encoded, $ttl, 'The value') === true;
    }

    public function deleteIf(string $key, int $version): bool
    {
        Fault::version($version, 2);
        $this->checkKey($key);
        return $this->store?->log->run(fn() => self::isAt($this->find($key), $version) && $this->delete($key)) === true;
    }

    public function compareAndSet(string $key, int $expected, int $value): bool
    {
        $this->checkKey($key);
        return $this->change($key, fn(Entry $entry): ?array => $entry->value?->integer() === $expected ? ['value' => Encoded::scalar($value)] : null);
    }

    public function publish(string $name, mixed $value): bool
    {
        $encoded = $this->encode($value, 1, '$value');
        $store = $this->store;
        if ($store === null) {
            return false;
        }
        return $store->log->run(function () use ($store, $name, $encoded): bool {
            $last = $store->find(self::BROADCAST_VERSION . $name)?->value?->integer();
            // nextVersion() is above all earlier versions, even those before a clear()
            $version = $last !== null ? $last + 1 : $store->nextVersion();
            return $store->put(self::BROADCAST . $name, $encoded, 0) && $store->put(self::BROADCAST_VERSION . $name, Encoded::scalar($version), 0);
        });
    }

    /** @return array{mixed, int} */
    public function published(string $name): array
    {
        return [
            $this->store?->find(self::BROADCAST . $name)?->value?->decode(),
            $this->store?->find(self::BROADCAST_VERSION . $name)?->value?->integer() ?? 0,
        ];
    }

    private static function isAt(?Entry $entry, int $version): bool
    {
        return $entry?->value !== null && $entry->value->integer() === null && $entry->version === $version;
    }

    /* ---- reservations */

    public function lock(string $key, int|float $lease): bool
    {
        $this->checkKey($key);
        $lease = Fault::seconds($lease, 2);
        return $this->store?->lock($this->lockOf($key), $lease) === true;
    }

    public function unlock(string $key): bool
    {
        return $this->store?->unlock($this->lockOf($this->checkKey($key))) === true;
    }

    public function remember(string $key, callable $compute, int|float $ttl, int|float $stale, ?string $form = null): mixed
    {
        $this->checkKey($key);
        $ttl = Fault::seconds($ttl, 3);
        $stale = Fault::seconds($stale, 4);
        Fault::form($form, 5);
        $prefix = $this->prefix(make: true);
        if ($this->store === null || $prefix === null) {
            return $compute();
        }
        $entry = $this->use($prefix, $key);
        $value = $entry?->value?->decode();
        if ($entry !== null && !$this->isStale($entry, $stale)) {
            return $value;
        }
        $lock = $this->lockOf($key);
        $runs = $this->store->isComputing($lock);
        if ($runs && $entry !== null) {
            return $value;
        }
        if ($runs && $this->store->isComputing($lock, onlyHere: true)) {
            throw new StaticCacheException("remember() of key \"" . Fault::shown($key) . "\" was called by its own \$compute");
        }
        for ($end = Store::now() + self::WAIT; $runs && Store::now() < $end && $this->store->waitFor($lock); $runs = $this->store->isComputing($lock)) {
            $computed = $this->readable($prefix . $key);
            if ($computed !== null) {
                return $computed->decode();
            }
        }
        /* Do not wait for a lock of this process: the program may keep that lock until this call has returned. */
        $reserved = !$runs && $this->store->lock($lock);
        if (!$reserved && $entry !== null) {
            return $value;
        }
        $computed = $this->readable($prefix . $key, $entry === null ? 0.0 : $stale); // perhaps stored meanwhile
        for ($end = Store::now() + self::WAIT; !$reserved && !$runs && $computed === null && $this->store->isLockedElsewhere($lock);) {
            if (Store::now() >= $end || !$this->store->waitForLock($lock, $end - Store::now(), fn() => $this->readable($prefix . $key) !== null)) {
                break;
            }
            $computed = $this->readable($prefix . $key);
            $reserved = $computed === null && $this->store->lock($lock);
        }
        if ($computed !== null) {
            $reserved && $this->store->unlock($lock);
            return $computed->decode();
        }
        $computing = new Computing($lock, $reserved);
        return $this->store->compute($computing, function () use ($compute, $prefix, $key, $ttl, $stale): mixed {
            $value = $compute();
            $encoded = $this->encode($value, 0, '$value');
            if ($prefix === $this->prefix()) { // false if the pool was cleared meanwhile
                $this->put($prefix, $key, $encoded, $ttl > 0 ? $ttl + $stale : 0.0, '');
            }
            return $value;
        });
    }

    /* ---- leases, and pools with a time to live ---- */

    public function lease(string $key, int|float $seconds): ?string
    {
        $this->checkKey($key);
        $seconds = Fault::positiveSeconds($seconds, 2);
        $prefix = $this->prefix();
        if ($prefix === null || $this->store === null) {
            return null;
        }
        $store = $this->store;
        $taken = Store::now();
        do {
            $entry = $store->find($prefix . $key);
            if ($entry !== null && $entry->value?->isReadable() !== false) {
                $entry->value?->decode(); // throws if a hook of the entry throws
                return null;
            }
            $version = $store->log->run(fn() => match (true) {
                // if the key was stored after find(), perhaps by code that isReadable() has run, try again
                $store->find($prefix . $key)?->version !== $entry?->version => 0,
                $store->put($prefix . $key, null, $seconds) => $store->find($prefix . $key)?->version,
                default => null,
            });
        } while ($version === 0);
        return $version !== null ? substr($prefix, \strlen(Store::POOL)) . pack('Jd', $version, $taken) : null;
    }

    public function fill(string $key, mixed $value, string $lease, int|float $ttl): bool
    {
        $this->checkKey($key);
        Fault::token($lease, 24, 3, 'lease');
        $ttl = Fault::seconds($ttl, 4);
        // encode before the lease is checked, because a hook of the value may end the lease
        $encoded = $this->encode($value, 2, '$value');
        $prefix = $this->prefix();
        if ($prefix === null || $prefix !== Store::POOL . substr($lease, 0, 8)) {
            return false;
        }
        /** @var array{version: int, taken: float} $parts */
        $parts = unpack('Jversion/dtaken', $lease, 8);
        if ($ttl > 0 && ($ttl -= Store::now() - $parts['taken']) <= 0) { // the time to live began at the call of lease()
            return false;
        }
        $isLease = static fn(?Entry $entry) => $entry !== null && $entry->value === null && $entry->version === $parts['version'];
        return $this->putIf($isLease, $prefix, $key, $encoded, $ttl, '') === true;
    }

    public function invalidate(string $key): bool
    {
        $this->delete($key);
        return true;
    }

    public function begin(int|float $seconds): ?string
    {
        $seconds = Fault::positiveSeconds($seconds, 1);
        $record = $this->store?->beginPool((string) $this->pool, $seconds);
        return $record !== null ? pack('J', $record->generation) : null;
    }

    public function prolong(string $token, int|float $seconds): bool
    {
        Fault::token($token, 8, 1, 'begin');
        $seconds = Fault::positiveSeconds($seconds, 2);
        /** @var array{1: int} $generation */
        $generation = unpack('J', $token);
        return $this->store?->prolongPool((string) $this->pool, $generation[1], $seconds) === true;
    }

    /** @return array{int, int, int} hits, misses and stores of the pool */
    public function uses(): array
    {
        return $this->store?->uses((string) $this->pool) ?? [0, 0, 0];
    }

    /** @return array{int, int} the number of entries of the pool, and the bytes of their keys and values */
    public function size(): array
    {
        $prefix = $this->prefix();
        $count = $bytes = 0;
        if ($prefix === null) {
            return [0, 0];
        }
        foreach ($this->store?->walk($prefix) ?? [] as $key => $entry) {
            $count++;
            $bytes += \strlen($key) - \strlen($prefix) + ($entry->value->size ?? 0);
        }
        return [$count, $bytes];
    }

    /* ---- within */

    private function checkKey(string $key): string
    {
        return Fault::key($key, $this->keyMax, $this->pool === null);
    }

    /**
     * @param array<mixed> $keys
     * @return list<string>
     */
    private function checkKeys(array $keys): array
    {
        return array_map(fn(mixed $key) => Fault::oneOfKeys($key, $this->keyMax, $this->pool === null), array_values($keys));
    }

    /** Returns the prefix of the pool's keys, or "" for a cache without a pool. Returns null if the store is off, or if the pool is missing. */
    private function prefix(bool $make = false): ?string
    {
        if ($this->store === null || $this->pool === null) {
            return $this->store !== null ? '' : null;
        }
        $record = $make ? $this->store->makePool($this->pool) : $this->store->pool($this->pool);
        return $record !== null ? Store::poolPrefix($record->generation) : null;
    }

    private function find(string $key): ?Entry
    {
        $this->checkKey($key);
        $prefix = $this->prefix();
        return $prefix !== null ? $this->store?->find($prefix . $key) : null;
    }

    private function use(?string $prefix, string $key): ?Entry
    {
        if ($prefix === null) {
            return null;
        }
        $entry = $this->store?->use($prefix . $key);
        if ($this->pool !== null) {
            $this->store?->countUse($this->pool, (int) ($entry !== null), (int) ($entry === null), 0);
        }
        return $entry;
    }

    /** Returns true if the entry expires within $stale seconds. Then one process must compute its value again. */
    private function isStale(Entry $entry, float $stale): bool
    {
        return $stale > 0 && $entry->expires - Store::now() <= $stale;
    }

    /** Returns the value of an entry, or null if the entry is missing or stale, or if a class of its value changed. May load classes. */
    private function readable(string $whole, float $stale = 0.0): ?Encoded
    {
        $entry = $this->store?->find($whole);
        $value = $entry !== null && !$this->isStale($entry, $stale) ? $entry->value : null;
        return $value?->isReadable() === true ? $value : null;
    }

    /**
     * Changes an entry in one step. Returns false if there is no entry with a value, or if $change returns null.
     * @param callable(Entry): (array{value?: Encoded, expires?: float}|null) $change
     */
    private function change(string $key, callable $change): bool
    {
        $store = $this->store;
        return $store !== null && $store->log->run(function () use ($store, $key, $change): bool {
            $prefix = $this->prefix();
            $entry = $prefix !== null ? $store->find($prefix . $key) : null;
            $changes = $entry?->value !== null ? $change($entry) : null;
            if ($entry === null || $changes === null) {
                return false;
            }
            $store->update($prefix . $key, $entry, ...$changes);
            return true;
        });
    }

    private function encode(mixed $value, int $argument, string $root): Encoded
    {
        try {
            return Encoder::encode($value);
        } catch (Refused $refused) {
            throw $refused->error($argument, $root);
        }
    }

    /** Stores a value. If the value is too large and $what is not '', raises a warning that names $what. */
    private function put(string $prefix, string $key, Encoded $value, float $ttl, string $what): bool
    {
        return $this->putIf(null, $prefix, $key, $value, $ttl, $what) === true;
    }

    /**
     * Stores a value as put() does, but only if $may returns true for the key's entry. Returns null if $may returns false, or if the store
     * is off.
     * @param (callable(?Entry): bool)|null $may
     */
    private function putIf(?callable $may, string $prefix, string $key, Encoded $value, float $ttl, string $what): ?bool
    {
        $store = $this->store;
        if ($store === null) {
            return null;
        }
        $stored = $store->log->run(fn() => $may === null || $may($store->find($prefix . $key)) ? $store->put($prefix . $key, $value, $ttl) : null);
        if ($stored === true && $this->pool !== null) {
            $store->countUse($this->pool, 0, 0, 1);
        }
        if ($stored === false && $what !== '' && $store->isTooLarge($prefix . $key, $value)) {
            Fault::warn("$what is larger than half of the store; raise larder.{$this->storeName}_size");
        }
        return $stored;
    }

    private function lockOf(string $key): string
    {
        return $this->pool === null ? $key : Store::POOL . pack('n', \strlen($this->pool)) . $this->pool . $key;
    }
}
