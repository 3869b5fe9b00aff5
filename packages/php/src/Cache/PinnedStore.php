<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\PinnedCache;
use Larder\StaticCacheInfo;

/**
 * The entries of the pinned store whose keys begin with a prefix. They stay until they are deleted. If memory is full, a write returns
 * false. Only 0 is allowed as time to live. clear() walks over the whole store.
 */
final class PinnedStore implements Store
{
    private static bool $family = false;
    private readonly string $prefix;

    /**
     * @param string $name at least 1 byte; in PinnedCache, the keys of these entries begin with the name and a colon
     * @throws ExtensionMissing
     */
    public function __construct(string $name)
    {
        \class_exists(PinnedCache::class) || throw new ExtensionMissing();
        if ($name === '' || str_contains($name, ':')) {
            throw new \ValueError('The name of a pinned store must have at least one byte and no colon');
        }
        $this->prefix = "$name:";
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return PinnedCache::get($this->key($key), $default);
    }

    public function getMultiple(array $keys, ?array $default = null): array
    {
        $found = [];
        foreach ($keys as $key) {
            $found[$key] = PinnedCache::get($this->key((string) $key), $default[$key] ?? null);
        }
        return $found;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->check($ttl);
        return PinnedCache::set($this->key($key), $value);
    }

    public function setMultiple(array $values, int|float $ttl = 0): bool
    {
        $this->check($ttl);
        $prefixed = [];
        foreach ($values as $key => $value) {
            $prefixed[$this->key((string) $key)] = $value;
        }
        return PinnedCache::setMultiple($prefixed);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->check($ttl);
        return PinnedCache::add($this->key($key), $value);
    }

    public function has(string $key): bool
    {
        return PinnedCache::has($this->key($key));
    }

    public function delete(string $key): bool
    {
        return PinnedCache::delete($this->key($key));
    }

    public function deleteMultiple(array $keys): bool
    {
        return PinnedCache::deleteMultiple(array_map(fn(int|string $key): string => $this->key((string) $key), $keys));
    }

    public function clear(): bool
    {
        foreach (PinnedCache::keys($this->prefix) as $key) {
            PinnedCache::delete($key);
        }
        return true;
    }

    /** @return \Generator<int, string> the keys without the prefix; walks the whole store */
    public function keys(): \Generator
    {
        foreach (PinnedCache::keys($this->prefix) as $key) {
            yield substr($key, \strlen($this->prefix));
        }
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $this->check($ttl);
        return $this->has($key);
    }

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        $this->check($ttl);
        return PinnedCache::increment($this->key($key), $step);
    }

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        $this->check($ttl);
        return PinnedCache::decrement($this->key($key), $step);
    }

    public function lock(string $key, int|float $lease = 0): bool
    {
        return PinnedCache::lock($this->key($key), $lease);
    }

    public function unlock(string $key): bool
    {
        return PinnedCache::unlock($this->key($key));
    }

    /**
     * Returns why this process cannot reserve keys, or null if it can. If the store's file is gone, no key can be reserved before the next
     * request.
     */
    public function trouble(): ?string
    {
        $probe = $this->key(random_bytes(16));
        if (PinnedCache::lock($probe)) {
            PinnedCache::unlock($probe);
            return null;
        }
        $info = PinnedCache::info();
        return $info->available ? 'its file was removed or replaced, or it is busy' : $info->failure_reason ?? 'it is off';
    }

    /**
     * Returns an explanation if only this command and its children can see the store. The explanation names the setting to change.
     * Otherwise returns null. Also returns null after isFamily(), because then no other process needs the store.
     */
    public function alone(): ?string
    {
        return self::aloneIn(PinnedCache::info());
    }

    /** @internal Returns what alone() returns for the store that $info describes. */
    public static function aloneIn(StaticCacheInfo $info): ?string
    {
        if (self::$family || !\in_array(\PHP_SAPI, ['cli', 'phpdbg'], true) || $info->shared_model !== 'anonymous') {
            return null;
        }
        return 'without larder.scope each command has a store of its own. Write "larder.scope = NAME" into php.ini, for the command line and for FPM.';
    }

    /** Declares that only this process and its children use the store. Locks then work even without larder.scope. */
    public static function isFamily(bool $family = true): void
    {
        self::$family = $family;
    }

    /** @internal */
    public static function servesFamily(): bool
    {
        return self::$family;
    }

    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed
    {
        $this->check($ttl + $stale);
        return PinnedCache::remember($this->key($key), $compute);
    }

    private function key(string $key): string
    {
        return $key === '' ? throw new \ValueError('A key must have at least one byte') : $this->prefix . $key;
    }

    private function check(int|float $ttl): void
    {
        if ($ttl != 0) {
            throw new \ValueError('Entries of a pinned store have no time to live: $ttl must be 0');
        }
    }
}
