<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Exception\LocksUnusable;
use Larder\Cache\Tiered\TieredStore;

use function Larder\scope;

/**
 * Locks that end after a time. The owner of a lock is a name, so one process can pass the lock to another. The locks of Symfony and Laravel
 * use this class. A lock has one exclusive owner, or several owners that share it.
 *
 * A lock is an entry of a store that evicts nothing. A process that changes the entry first reserves its key in the extension. If the
 * process is killed meanwhile, the reservation ends, and either the old or the new entry remains.
 *
 * Times to live are measured by a clock that cannot be set. In a store of one machine, it is the machine's clock, which all processes
 * share. Over a TieredStore, it is the server's clock. The entry then records its "life" (the time to live with which it was stored), and
 * how much of it each owner has. The server tells how long the entry still lives. The difference is the time that has passed, so no clock
 * of a host is needed.
 *
 * Calls that take, prolong or end a lock throw LocksUnusable if the pinned store has no room or cannot be used. They also throw it if no
 * other process can see the store: see PinnedStore::alone().
 */
final class Locks
{
    /** Seconds to wait for a reservation. This is ample, because other processes need theirs for microseconds only. */
    private const PATIENCE = 10.0;
    /** Seconds of waiting after which this class checks if the store has failed. */
    private const DOUBT = 0.5;
    /** Seconds that an entry on a server lives if one of its owners has no time to live. */
    private const LIFE = 315360000.0;
    /** A name of at most this many bytes is used as the key. A longer name, and the empty one, is replaced by a hash. */
    private const NAME_MAX = 1000;

    /** @var \Closure(): float */
    private readonly \Closure $clock;
    /** The next sweep may not begin before this time. */
    private float $sweepAt = 0;
    /** The earliest end of a lock that was still alive at the last sweep; null: no such lock ends by itself. */
    private ?float $firstEnd = null;

    /** @param (\Closure(): float)|null $clock returns seconds; a test can give its own; over a TieredStore, no clock is used */
    public function __construct(private readonly Store $store, ?\Closure $clock = null)
    {
        $this->clock = $clock ?? static fn(): float => hrtime(true) / 1e9;
    }

    /** Locks in the pinned store. */
    public static function pinned(string $name = 'larder.locks'): self
    {
        return new self(new PinnedStore($name));
    }

    /**
     * Takes the lock. If this owner has it already, its time is extended. An owner that shares the lock with no other becomes the exclusive
     * owner.
     *
     * @param float|null $ttl seconds; null: until it is released
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

    /** Takes the lock as one of several owners that share it. An exclusive owner becomes a sharing one. */
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

    /** Gives a lock a new time to live, from now on. Returns false if this owner has lost it. */
    public function prolong(string $lock, string $owner, ?float $ttl): bool
    {
        return $this->change($lock, function (array $owners) use ($owner, $ttl): ?array {
            if (!isset($owners[self::id($owner)])) {
                return null;
            }
            return [self::id($owner) => [$this->end($ttl), $owners[self::id($owner)][1]]] + $owners;
        });
    }

    /** @return bool false: it was not held by that owner */
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

    /** Takes the lock away from its owner. */
    public function break(string $lock): bool
    {
        return $this->change($lock, static fn(array $owners): array => []);
    }

    /**
     * Takes all locks whose names begin with a prefix away from their owners. Names of more than 1,000 bytes are not found, because the
     * store has only their hash.
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

    /** Returns the key of an owner in the entry's array. It begins with a letter, because PHP would turn a key of digits into an int. */
    private static function id(string $owner): string
    {
        return "o$owner";
    }

    private function end(?float $ttl): ?float
    {
        return $ttl === null ? null : $this->now() + $ttl;
    }

    /**
     * Returns the time with which the ends of locks are compared. In shared memory, ends are times of the clock. On a server, they are
     * counted from now on, so the time is 0: see left().
     */
    private function now(): float
    {
        return $this->store instanceof TieredStore ? 0.0 : ($this->clock)();
    }

    /**
     * @return array<string, array{float|null, bool}>|null by owner: the end, and true if the owner is exclusive; null: the server gave no
     * answer
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
     * @return array<string, array{float|null, bool}>|null by owner: the seconds left, and true if the owner is exclusive; null: the server
     * gave no answer
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
        $gone = $left > 0 ? max(0.0, $entry[0] - $left) : 0.0; // 0: the entry has ended meanwhile, or its end is unknown
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
            if (!$stored && $this->store instanceof PinnedStore) { // there is no room to record the owner
                $this->doubt();
                throw new LocksUnusable('The pinned store has no room for a lock, or is busy; if that lasts, raise larder.pinned_size.');
            }
            return $stored;
        } finally {
            $this->store->unlock($lock);
        }
    }

    /**
     * Removes locks that have ended without a release. This matters only if the store is full. A sweep reads all locks, so sweeps may take
     * at most a tenth of the time. But a sweep may begin at any time after $firstEnd, because then it has something to remove. Returns
     * false if it is too early for a sweep.
     */
    private function sweep(): bool
    {
        $begin = hrtime(true) / 1e9;
        if (!$this->store instanceof PinnedStore || $begin < $this->sweepAt && ($this->firstEnd === null || ($this->clock)() < $this->firstEnd)) {
            return false;
        }
        $this->firstEnd = null;
        $store = $this->store;
        // scope() releases the fetched values, so that the memory of removed locks is free at once
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
            if ($ends !== [] && !\in_array(null, $ends, true)) { // the entry ends when the time of its last owner is over
                $this->firstEnd = min($this->firstEnd ?? INF, max($ends));
            }
        }
    }

    /**
     * Throws if the store has failed. Laravel's worker ends when a message has the words "Lost connection"; the next worker opens the store
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
            // give up after PATIENCE, or if the server has not answered meanwhile
            if ($waited > self::PATIENCE || TieredStore::errorOf($this->store) !== $before) {
                return false;
            }
            usleep($wait);
        }
        return true;
    }
}
