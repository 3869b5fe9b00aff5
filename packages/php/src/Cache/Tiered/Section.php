<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** A part of a tiered store: the entries with a prefix. Callers pass keys without the prefix. */
final class Section
{
    /** @internal TieredStore::section() makes sections. */
    public function __construct(private readonly TieredStore $store, private readonly string $prefix) {}

    public function get(string $key, mixed $default = null): mixed
    {
        return $this->store->get($this->prefix . $key, $default);
    }

    /**
     * @param array<array-key, int|string> $keys
     * @param array<array-key, mixed>|null $default the default values, by key
     * @return array<array-key, mixed>
     */
    public function getMultiple(array $keys, ?array $default = null): array
    {
        $names = $defaults = [];
        foreach ($keys as $key) {
            $names[] = $this->prefix . $key;
            $defaults[$this->prefix . $key] = $default[$key] ?? null;
        }
        $found = $this->store->getMultiple($names, $defaults);
        $values = [];
        foreach ($keys as $key) {
            $values[$key] = $found[$this->prefix . $key] ?? null;
        }
        return $values;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->set($this->prefix . $key, $value, $ttl);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->add($this->prefix . $key, $value, $ttl);
    }

    public function has(string $key): bool
    {
        return $this->store->has($this->prefix . $key);
    }

    public function delete(string $key): bool
    {
        return $this->store->delete($this->prefix . $key);
    }

    /** Returns the seconds that an entry will live on the server. 0: no limit, or unknown. */
    public function left(string $key): float
    {
        return $this->store->left($this->prefix . $key);
    }

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return $this->store->increment($this->prefix . $key, $step, $ttl);
    }

    /** Deletes the entries from the server in steps. Meanwhile, other processes may see some of the entries. */
    public function clear(): bool
    {
        return $this->store->clearPrefix($this->prefix);
    }
}
