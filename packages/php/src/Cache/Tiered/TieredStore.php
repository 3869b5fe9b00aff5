<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Cache\Exception\KeyRefused;
use Larder\Cache\Key;
use Larder\Cache\Missing;
use Larder\Cache\Resources;
use Larder\Cache\Store;
use Larder\Pool;

/**
 * A server that several hosts share, with this host's shared memory in front of it: what one process has read from the server, the others
 * read from memory. Use it as the store of SimpleCache, ItemPool, LarderAdapter or LarderStore.
 *
 * - `larder-sync` must run on each host. When a client writes a key, larder-sync deletes the key in this host's memory. It also renews a
 *   promise that the data there is not out of date. The promise lasts for the bound (by default a second). Without a valid promise, reads go
 *   to the server.
 * - A read without a local value takes a lease, and reads from the server, while other processes of the host wait, up to WAIT seconds. If a
 *   write has broken the lease, the value is not stored here.
 * - A write goes to the server, and deletes the key here. So a process reads its own writes.
 * - Locks are on the server, so they are valid for all hosts.
 * - A key has 1 to 65,000 bytes. Keys that begin with a zero byte are for the tier's own entries.
 */
final class TieredStore implements Store
{
    /** How many seconds a read waits for another process of this host that reads the same value. */
    public const WAIT = 1.0;
    /** How many seconds a lock without a $lease lives. */
    public const LOCK = 60.0;
    /** After how many seconds the lease of a dead process ends. */
    private const LEASE = 10;

    /** The number of running remember() computations in this process. */
    private static int $computing = 0;
    private readonly Server $server;
    private readonly Pool $local;
    /**
     * lock() locks a key in this pool, if the pool has room, and then on the server. A lock in this pool ends when its process dies, which
     * shows other processes of this host that the lock on the server has a dead owner.
     */
    private readonly Pool $locks;
    private readonly Format $format;
    /**
     * @var array<string, array{string, int}> by the key of a lock: the value that proves our ownership, and the id of the process that took
     * the lock
     */
    private array $locked = [];
    private ?\Throwable $error = null;

    /**
     * All hosts must have the same $secret: a value with objects can be read only with the secret of its writer. Without a secret, only
     * objects of stdClass are allowed.
     *
     * @param string $name the name of the tier, as given to larder-sync
     * @param string $prefix the prefix of all keys on the server, as given to larder-sync
     * @param string|null $secret 16 bytes or more
     * @throws ExtensionMissing
     * @throws \ValueError the secret has less than 16 bytes
     */
    public function __construct(
        Server $server,
        string $name,
        private readonly string $prefix,
        private readonly OnFailure $onFailure = OnFailure::Miss,
        #[\SensitiveParameter]
        ?string $secret = null,
    ) {
        $this->server = new Breaker($server);
        $this->local = Tier::pool($name, $prefix);
        $this->locks = Tier::locks($name, $prefix);
        $this->format = new Format($secret, \extension_loaded('igbinary'));
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $value = $this->local->get($key, Missing::Value);
        if ($value !== Missing::Value) {
            return $value;
        }
        $value = $this->readThrough($key);
        return $value === Missing::Value ? $default : $value;
    }

    /** Returns the value on the server. The value from get() may be older, at most by the bound of larder-sync. */
    public function fresh(string $key, mixed $default = null): mixed
    {
        $value = $this->fill([$key])[$key];
        return $value === Missing::Value ? $default : $value;
    }

    public function getMultiple(array $keys, ?array $default = null): array
    {
        $strings = array_map(strval(...), $keys);
        $values = $this->local->getMultiple($strings, array_fill_keys($strings, Missing::Value));
        $missing = array_map(strval(...), array_keys($values, Missing::Value, true));
        if ($missing !== []) {
            $values = $this->fill($missing) + $values;
        }
        $result = [];
        foreach ($strings as $key) {
            $value = $values[$key] ?? null;
            $result[$key] = $value === Missing::Value ? $default[$key] ?? null : $value;
        }
        return $result;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->setMultiple([$key => $value], $ttl);
    }

    public function setMultiple(array $values, int|float $ttl = 0): bool
    {
        $encoded = [];
        foreach ($values as $key => $value) {
            $encoded[$this->prefix . $key] = $this->encode($value, (string) $key);
        }
        $milliseconds = self::milliseconds($ttl);
        return $this->write(array_keys($values), function () use ($encoded, $milliseconds): bool {
            $this->server->write($encoded, $milliseconds);
            return true;
        }) ?? false;
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $encoded = $this->encode($value, (string) $key);
        $milliseconds = self::milliseconds($ttl);
        $name = $this->prefix . $key;
        return $this->write([$key], fn(): bool => $this->server->add($name, $encoded, $milliseconds)
            || ($this->endUnreadable($name) && $this->server->add($name, $encoded, $milliseconds))) ?? false;
    }

    public function has(string $key): bool
    {
        try {
            return $this->get($key, Missing::Value) !== Missing::Value;
        } catch (ServerTrouble|KeyRefused $error) {
            throw $error;
        } catch (\Throwable) { // a hook of the stored class has thrown
            return true;
        }
    }

    public function delete(string $key): bool
    {
        return $this->deleteMultiple([$key]);
    }

    public function deleteMultiple(array $keys): bool
    {
        return $this->remove($keys) === \count($keys);
    }

    /**
     * Deletes keys. A missing key counts as deleted.
     *
     * @param list<string> $keys
     * @return bool false: the call to the server has failed
     */
    public function forget(array $keys): bool
    {
        return $this->remove($keys) !== null;
    }

    /** Deletes all keys of the prefix from the server in steps. Until the last step, other processes may still see some of these keys. */
    public function clear(): bool
    {
        return $this->clearPrefix('');
    }

    /** Deletes all keys with $prefix from the server in steps. Until the last step, other processes may still see some of these keys. */
    public function clearPrefix(string $prefix): bool
    {
        try {
            $this->server->clear($this->prefix . $prefix);
        } catch (ServerFailure $error) {
            $this->failed($error);
            return false;
        } finally {
            $this->local->clear();
        }
        return true;
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $milliseconds = self::milliseconds($ttl);
        return $this->write([$key], fn(): bool => $this->server->expire($this->prefix . $key, $milliseconds)) ?? false;
    }

    /** Returns the seconds that an entry will live on the server. 0: no limit, or unknown. */
    public function left(string $key): float
    {
        $name = $this->prefix . $key;
        try {
            return ($this->server->read([$name])[$name][1] ?? 0) / 1000;
        } catch (ServerFailure $error) {
            $this->failed($error);
            return 0.0;
        }
    }

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        $milliseconds = self::milliseconds($ttl);
        return $this->write([$key], fn(): ?int => $this->server->increment($this->prefix . $key, $step, $milliseconds)) ?? false;
    }

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return $step === PHP_INT_MIN ? false : $this->increment($key, -$step, $ttl);
    }

    /**
     * Locks a key on all hosts, until unlock() or for $lease seconds (0: LOCK). If the process with the lock dies, other processes of
     * this host can take the lock at once. Processes of other hosts must wait for the end of the lease.
     */
    public function lock(string $key, int|float $lease = 0): bool
    {
        self::check([$key]);
        $name = $this->prefix . "\0lock" . $key;
        $milliseconds = self::milliseconds($lease) ?: (int) (self::LOCK * 1000);
        $here = $this->locks->lock($key);
        $host = $here ? Tier::host($this->locks) : '';
        $token = $host . bin2hex(random_bytes(16));
        try {
            $had = $this->server->add($name, $token, $milliseconds)
                || ($host !== '' && $this->endDead($name, $host) && $this->server->add($name, $token, $milliseconds));
        } catch (ServerFailure $error) {
            $had = false;
        }
        if ($had) {
            $this->locked[$name] = [$token, (int) getmypid()];
        } elseif ($here) {
            $this->locks->unlock($key);
        }
        if (isset($error)) {
            $this->failed($error);
        }
        return $had;
    }

    public function unlock(string $key): bool
    {
        $name = $this->prefix . "\0lock" . $key;
        [$token, $owner] = $this->locked[$name] ?? [null, 0];
        if ($token === null || $owner !== getmypid()) {
            return false;
        }
        unset($this->locked[$name]);
        try {
            return $this->server->deleteIf($name, $token);
        } catch (ServerFailure $error) {
            $this->failed($error);
            return false;
        } finally {
            if (str_contains($token, '.')) {
                $this->locks->unlock($key);
            }
        }
    }

    /**
     * Returns the value of an entry. If there is no entry, one process of this host calls $compute() and stores the result, while the
     * others wait up to WAIT seconds. A nested remember() does not wait, because this could be a deadlock. $stale has no effect.
     */
    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed
    {
        $value = $this->get($key, Missing::Value);
        if ($value !== Missing::Value) {
            return $value;
        }
        $lock = "\0compute$key";
        $locked = $this->waitFor($lock, $key, $value, self::$computing > 0 ? 0.0 : self::WAIT);
        try {
            if ($value === Missing::Value && $locked) {
                $value = $this->get($key, Missing::Value); // another process may have stored the value
            }
            if ($value === Missing::Value) {
                self::$computing++;
                try {
                    $value = $compute();
                } finally {
                    self::$computing--;
                }
                $this->set($key, $value, $ttl);
            }
        } finally {
            if ($locked) {
                $this->local->unlock($lock);
            }
        }
        return $value;
    }

    /** Returns the entries whose keys begin with a prefix, as a separate store. */
    public function section(string $prefix): Section
    {
        return new Section($this, $prefix);
    }

    /** Returns the pool in this host's memory. You must not write to it. */
    public function local(): Pool
    {
        return $this->local;
    }

    /** Returns true if reads use this host's memory. They do so while larder-sync promises that the data there is not out of date. */
    public function isLocal(): bool
    {
        return $this->local->get(Tier::UP) === 1;
    }

    /** Returns the exception of the last failed call to the server. */
    public function lastError(): ?\Throwable
    {
        return $this->error;
    }

    /**
     * Returns lastError() of a tiered store, or null for another store.
     *
     * @internal
     */
    public static function errorOf(Pool|Store $store): ?\Throwable
    {
        return $store instanceof self ? $store->error : null;
    }

    /**
     * Ends the lock on the server if a dead process of this host has it. The caller must have locked the key in $this->locks. An owner whose
     * token begins with $host had that lock before the caller, so this owner is dead.
     *
     * @return bool false: another host has the lock
     */
    private function endDead(string $name, string $host): bool
    {
        $token = $this->server->read([$name])[$name][0] ?? '';
        return $token === '' || (str_starts_with($token, $host) && $this->server->deleteIf($name, $token));
    }

    /**
     * Deletes a value that this process cannot decode. Keeps a value that another process has written meanwhile.
     *
     * @return bool false: the value can be read, or another process has changed it
     */
    private function endUnreadable(string $name): bool
    {
        $bytes = $this->server->read([$name])[$name][0] ?? null;
        $value = null;
        try {
            return $bytes === null || (!$this->format->decode($bytes, $name, $value) && $this->server->deleteIf($name, $bytes));
        } catch (\Throwable) { // a hook of the value's class has thrown
            return false;
        }
    }

    private function readThrough(string $key): mixed
    {
        if (!$this->isLocal()) {
            return $this->fill([$key])[$key];
        }
        $value = Missing::Value;
        $lock = "\0read$key";
        $locked = $this->waitFor($lock, $key, $value);
        try {
            if ($locked) { // another process may have stored the value
                $value = $this->local->get($key, Missing::Value);
            }
            return $value === Missing::Value ? $this->fill([$key])[$key] : $value;
        } finally {
            if ($locked) {
                $this->local->unlock($lock);
            }
        }
    }

    /**
     * Takes a lease of each key, then reads the values from the server, and stores each value whose lease is still valid.
     *
     * @param non-empty-list<string> $keys
     * @return array<array-key, mixed> the values of all keys
     */
    private function fill(array $keys): array
    {
        self::check($keys);
        $leases = $names = [];
        foreach ($keys as $key) {
            $leases[$key] = $this->lease($key);
            $names[] = $this->prefix . $key;
        }
        $values = array_fill_keys($keys, Missing::Value);
        try {
            $found = $this->server->read($names);
        } catch (ServerFailure $error) {
            $found = [];
            $failure = $error;
        }
        foreach ($keys as $key) {
            [$bytes, $left] = $found[$this->prefix . $key] ?? [null, 0];
            $there = $bytes !== null && $this->format->decode($bytes, $this->prefix . $key, $values[$key]);
            $lease = $leases[$key];
            if ($lease === null) {
                continue;
            }
            if (!$there || !$this->local->fill($key, $values[$key], $lease, $left / 1000)) {
                $this->local->delete($key); // if this fails, the lease ends by itself
            }
        }
        if (isset($failure)) {
            $this->failed($failure);
        }
        return $values;
    }

    private function lease(string $key): ?string
    {
        try {
            return $this->local->lease($key, self::LEASE);
        } catch (\Throwable) { // a hook of the stored class has thrown
            return null;
        }
    }

    /**
     * Tries for up to $seconds to take a lock of this host, or to find the value of $key, which another process may store.
     *
     * @return bool true: this process has the lock
     */
    private function waitFor(string $lock, string $key, mixed &$value, float $seconds = self::WAIT): bool
    {
        $until = hrtime(true) + (int) ($seconds * 1e9);
        for ($pause = 100; !$this->local->lock($lock); $pause = min(2000, $pause * 2)) {
            $value = $this->local->get($key, Missing::Value);
            if ($value !== Missing::Value || hrtime(true) > $until) {
                return false;
            }
            usleep($pause);
        }
        return true;
    }

    /**
     * @param array<array-key, int|string> $keys
     * @return int|null how many of the keys existed; null: the call to the server has failed
     */
    private function remove(array $keys): ?int
    {
        $names = array_map(fn(int|string $key): string => $this->prefix . $key, array_values($keys));
        return $names === [] ? 0 : $this->write($keys, fn(): int => $this->server->delete($names));
    }

    /**
     * Makes a change on the server, and then deletes the keys in this host's memory.
     *
     * @template T
     * @param array<array-key, int|string> $keys
     * @param \Closure(): T $change
     * @return T|null
     */
    private function write(array $keys, \Closure $change): mixed
    {
        self::check($keys);
        try {
            return $change();
        } catch (ServerFailure $error) {
            $this->failed($error);
            return null;
        } finally { // delete the copies even after a failure, because the server may have made the change
            $this->local->deleteMultiple($keys);
        }
    }

    private function encode(mixed $value, string $key): string
    {
        Resources::refuse($value);
        try {
            return $this->format->encode($value, $this->prefix . $key);
        } catch (\Exception $error) { // thrown by serialize(), or by a hook
            throw new \TypeError($error->getMessage(), 0, $error);
        }
    }

    /** @param array<array-key, int|string> $keys */
    private static function check(array $keys): void
    {
        foreach ($keys as $key) {
            if (!Tier::takes((string) $key)) {
                throw new KeyRefused(\sprintf('A key must have 1 to %d bytes and not begin with a zero byte', Key::MAX));
            }
        }
    }

    private static function milliseconds(int|float $seconds): int
    {
        if (!is_finite($seconds) || $seconds < 0) {
            throw new \ValueError('A time to live must be a finite number of seconds, at least 0');
        }
        return $seconds > 0 ? max(1, (int) min($seconds * 1000, 9e15)) : 0;
    }

    private function failed(ServerFailure $error): void
    {
        $this->error = $error;
        if ($this->onFailure === OnFailure::Throw) {
            throw $error;
        }
    }
}
