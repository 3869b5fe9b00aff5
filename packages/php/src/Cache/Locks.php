<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Exception\LocksUnusable;
use Larder\Cache\Tiered\TieredStore;

use function Larder\scope;

/**
 * Locks that end after a time. A lock belongs to a name: one process can take it, and another can release it.
 *
 * - A lock is an entry of a store that evicts nothing. A process reserves the key before it changes the entry, so the entry is valid even
 *   if the process is killed.
 * - In the pinned store, a lock ends at a time of the machine's monotonic clock.
 * - The hosts of a TieredStore have different clocks, so only the server measures time. An entry contains its time to live, and the seconds
 *   that each owner had left. The server tells the age of the entry, and this age is subtracted from those seconds.
 * - Calls that change a lock throw LocksUnusable if the pinned store has no room, cannot be used, or is not visible to other processes (see
 *   PinnedStore::alone()).
 */
final class Locks
{
    /** The longest wait (s) for a reservation. Normally a process keeps a reservation only for microseconds. */
    private const PATIENCE = 10.0;
    /** A process that has waited longer than this (s) for a reservation checks whether the store has failed. */
    private const DOUBT = 0.5;
    /** How many seconds a server keeps the entry of a lock without a time limit. */
    private const LIFE = 315360000.0;
    /** The maximum length of a name in bytes. A longer name is hashed. */
    private const NAME_MAX = 1000;

    /** @var \Closure(): float */
    private readonly \Closure $clock;
    /** The next sweep may begin at this time, or at $firstEnd if that is earlier. */
    private float $sweepAt = 0;
    /** The earliest end of the locks that the last sweep has kept, or null if none of these locks ends by itself. */
    private ?float $firstEnd = null;

    /** @param (\Closure(): float)|null $clock returns the time in seconds; not used with a TieredStore */
    public function __construct(private readonly Store $store, ?\Closure $clock = null)
    {
        $this->clock = $clock ?? static fn(): float => hrtime(true) / 1e9;
    }

    /** Returns locks in the pinned store. */
    public static function pinned(string $name = 'larder.locks'): self
    {
        return new self(new PinnedStore($name));
    }

    /**
     * Takes the lock as its only owner, or gives it a new time to live if $owner has it already.
     *
     * @param float|null $ttl seconds; null: until the lock is released
     * @param bool $again false: fail if this owner has the lock already
     * @return bool false: the lock was not taken
     */
    public function acquire(string $lock, string $owner, ?float $ttl, bool $again = true): bool
    {
        return $this->change($lock, function (array $owners) use ($owner, $ttl, $again): ?array {
            if ($again) {
                unset($owners[self::id($owner)]);
            }
            return $owners === [] ? [self::id($owner) => [$this->end($ttl), true]] : null;
        });
    }

    /** Takes the lock as one of several owners. Fails if another owner has the lock exclusively. */
    public function share(string $lock, string $owner, ?float $ttl): bool
    {
        return $this->change($lock, function (array $owners) use ($owner, $ttl): ?array {
            unset($owners[self::id($owner)]);
            foreach ($owners as [, $exclusive]) {
                if ($exclusive) {
                    return null;
                }
            }
            return $owners + [self::id($owner) => [$this->end($ttl), false]];
        });
    }

    /** Gives the lock a new time to live. Returns false if $owner does not have the lock. */
    public function prolong(string $lock, string $owner, ?float $ttl): bool
    {
        return $this->change($lock, function (array $owners) use ($owner, $ttl): ?array {
            if (!isset($owners[self::id($owner)])) {
                return null;
            }
            return [self::id($owner) => [$this->end($ttl), $owners[self::id($owner)][1]]] + $owners;
        });
    }

    /** @return bool false: $owner did not have the lock */
    public function release(string $lock, string $owner): bool
    {
        return $this->change($lock, function (array $owners) use ($owner): ?array {
            if (!isset($owners[self::id($owner)])) {
                return null;
            }
            unset($owners[self::id($owner)]);
            return $owners;
        });
    }

    /** Takes the lock away from all of its owners. */
    public function break(string $lock): bool
    {
        return $this->change($lock, static fn(array $owners): array => []);
    }

    /**
     * Ends all locks with a prefix, except those with hashed names (more than 1,000 bytes).
     *
     * @return bool false: some locks may remain, for example because the store cannot list its keys
     */
    public function breakAll(string $prefix): bool
    {
        if ($this->store instanceof TieredStore) {
            return $this->store->clearPrefix($prefix);
        }
        if (!$this->store instanceof PinnedStore) {
            return false;
        }
        $all = true;
        foreach ($this->store->keys() as $lock) {
            $all = (!str_starts_with($lock, $prefix) || $this->break($lock)) && $all;
        }
        return $all;
    }

    /** @return list<string> the owners of the lock */
    public function owners(string $lock): array
    {
        return array_map(static fn(int|string $id): string => substr((string) $id, 1), array_keys($this->living(self::key($lock)) ?? []));
    }

    /** Returns the key of a lock in the store. */
    private static function key(string $lock): string
    {
        return Name::bounded($lock, self::NAME_MAX);
    }

    /** Returns the key of an owner in the entry's array. It begins with a letter, because PHP would turn digits alone into an int. */
    private static function id(string $owner): string
    {
        return "o$owner";
    }

    private function end(?float $ttl): ?float
    {
        return $ttl === null ? null : $this->now() + $ttl;
    }

    /**
     * Returns the time to compare with the end of an owner's lock. With a TieredStore, the end is a number of seconds that are left, so this
     * function returns 0.
     */
    private function now(): float
    {
        return $this->store instanceof TieredStore ? 0.0 : ($this->clock)();
    }

    /**
     * @return array<string, array{float|null, bool}>|null by owner: when the lock of this owner ends, and whether the lock is exclusive.
     * The end is a time to compare with now(), or null if the lock never ends. The result is null if the server did not answer
     */
    private function living(string $lock): ?array
    {
        if ($this->store instanceof TieredStore) {
            $owners = $this->left($this->store, $lock);
        } else {
            /** @var array<string, array{float|null, bool}> $owners written by put() */
            $owners = $this->store->get($lock, []);
        }
        $now = $this->now();
        return $owners === null ? null : array_filter($owners, static fn(array $owner): bool => $owner[0] === null || $owner[0] > $now);
    }

    /**
     * @return array<string, array{float|null, bool}>|null by owner: the seconds until the lock of this owner ends (null: never), and
     * whether the lock is exclusive. The result is null if the server did not answer
     */
    private function left(TieredStore $store, string $lock): ?array
    {
        $before = $store->lastError();
        /** @var array{float, array<string, array{float|null, bool}>}|null $entry written by put() */
        $entry = $store->fresh($lock);
        $left = $entry === null ? 0.0 : $store->left($lock);
        if ($store->lastError() !== $before) {
            return null;
        }
        if ($entry === null) {
            return [];
        }
        // The age of the entry in seconds, or 0 if the remaining time to live is unknown.
        $gone = $left > 0 ? max(0.0, $entry[0] - $left) : 0.0;
        return array_map(static fn(array $owner): array => [$owner[0] === null ? null : $owner[0] - $gone, $owner[1]], $entry[1]);
    }

    /** @param non-empty-array<string, array{float|null, bool}> $owners */
    private function put(string $lock, array $owners): bool
    {
        if (!$this->store instanceof TieredStore) {
            return $this->store->set($lock, $owners);
        }
        $ends = array_column($owners, 0);
        $life = \in_array(null, $ends, true) ? self::LIFE : (float) max($ends);
        return $this->store->set($lock, [$life, $owners], $life);
    }

    /** @param \Closure(array<string, array{float|null, bool}>): (array<string, array{float|null, bool}>|null) $change */
    private function change(string $lock, \Closure $change): bool
    {
        $lock = self::key($lock);
        if ($this->store instanceof PinnedStore && ($alone = $this->store->alone()) !== null) {
            throw new LocksUnusable("A lock would keep no other process out: $alone");
        }
        if (!$this->reserve($lock)) {
            return false;
        }
        try {
            $living = $this->living($lock);
            $owners = $living !== null ? $change($living) : null;
            if ($owners === null) {
                return false;
            }
            if ($owners === []) {
                return Removal::of($this->store, [$lock]);
            }
            $stored = $this->put($lock, $owners) || $this->sweep() && $this->put($lock, $owners);
            if (!$stored && $this->store instanceof PinnedStore) { // the store has no room for the entry
                $this->doubt();
                throw new LocksUnusable('The pinned store has no room for a lock, or is busy; if that lasts, raise larder.pinned_size.');
            }
            return $stored;
        } finally {
            $this->store->unlock($lock);
        }
    }

    /**
     * Removes expired locks when the store is full. Because a sweep reads all locks, the next one may begin only 9 * n seconds after a
     * sweep of n seconds, or when a lock ends ($firstEnd). Until then, returns false.
     */
    private function sweep(): bool
    {
        $begin = hrtime(true) / 1e9;
        if (!$this->store instanceof PinnedStore || $begin < $this->sweepAt && ($this->firstEnd === null || ($this->clock)() < $this->firstEnd)) {
            return false;
        }
        $this->firstEnd = null;
        $store = $this->store;
        // without scope(), the values that we fetch would keep the removed locks in memory
        scope(fn() => $this->removeEnded($store));
        $this->sweepAt = 10 * hrtime(true) / 1e9 - 9 * $begin;
        return true;
    }

    private function removeEnded(PinnedStore $store): void
    {
        foreach ($store->keys() as $lock) {
            $living = $this->living($lock) ?? [];
            if ($living === [] && $store->lock($lock)) {
                if ($this->living($lock) === []) {
                    $store->delete($lock);
                }
                $store->unlock($lock);
            }
            $ends = array_column($living, 0);
            if ($ends !== [] && !\in_array(null, $ends, true)) { // if all owners have an end, the lock ends with its last owner
                $this->firstEnd = min($this->firstEnd ?? INF, max($ends));
            }
        }
    }

    /**
     * Throws if the store has failed. The text "Lost connection" makes a worker of Laravel end, so that the next worker opens the store
     * again.
     */
    private function doubt(): void
    {
        $trouble = $this->store instanceof PinnedStore ? $this->store->trouble() : null;
        $trouble === null || throw new LocksUnusable("Lost connection to the pinned store, which has the locks: $trouble");
    }

    private function reserve(string $lock): bool
    {
        $begin = hrtime(true) / 1e9;
        $before = TieredStore::errorOf($this->store);
        for ($wait = 50; !$this->store->lock($lock); $wait = min(2 * $wait, 5000)) {
            $waited = hrtime(true) / 1e9 - $begin;
            if ($waited > self::DOUBT) {
                $this->doubt();
            }
            // give up after PATIENCE seconds, or if the server has failed during the wait
            if ($waited > self::PATIENCE || TieredStore::errorOf($this->store) !== $before) {
                return false;
            }
            usleep($wait);
        }
        return true;
    }
}
