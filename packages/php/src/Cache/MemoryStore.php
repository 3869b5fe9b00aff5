<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A store in an array, for tests and as a fallback. Like the extension, it copies values, and throws a TypeError for unsuitable ones.
 */
final class MemoryStore implements Store
{
    /** @var array<array-key, array{mixed, bool, float|null}> by key: the value, true if it is serialized, and when the entry expires */
    private array $entries = [];
    /** @var array<array-key, float|null> by locked key: when the lock ends */
    private array $locks = [];
    /** @var \Closure(): float */
    private readonly \Closure $clock;

    /** @param (\Closure(): float)|null $clock returns the time in seconds; a test may give a clock that it can set */
    public function __construct(?\Closure $clock = null)
    {
        $this->clock = $clock ?? static fn(): float => hrtime(true) / 1e9;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if (!$this->has($key)) {
            return $default;
        }
        [$value, $serialized] = $this->entries[$key];
        return $serialized ? unserialize(\is_string($value) ? $value : '') : $value;
    }

    public function getMultiple(array $keys, ?array $default = null): array
    {
        $found = [];
        foreach ($keys as $key) {
            $found[$key] = $this->get((string) $key, $default[$key] ?? null);
        }
        return $found;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->check($key, $ttl);
        $this->entries[$key] = [...self::frozen($value), $this->end($ttl)];
        return true;
    }

    public function setMultiple(array $values, int|float $ttl = 0): bool
    {
        $frozen = [];
        foreach ($values as $key => $value) {
            $this->check((string) $key, $ttl);
            $frozen[$key] = [...self::frozen($value), $this->end($ttl)];
        }
        $this->entries = $frozen + $this->entries;
        return true;
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return !$this->has($key) && $this->set($key, $value, $ttl);
    }

    public function has(string $key): bool
    {
        $this->check($key);
        if (!isset($this->entries[$key])) {
            return false;
        }
        $end = $this->entries[$key][2];
        if ($end !== null && $end <= ($this->clock)()) {
            unset($this->entries[$key]);
            return false;
        }
        return true;
    }

    public function delete(string $key): bool
    {
        $had = $this->has($key);
        unset($this->entries[$key]);
        return $had;
    }

    public function deleteMultiple(array $keys): bool
    {
        $all = true;
        foreach ($keys as $key) {
            $all = $this->delete((string) $key) && $all;
        }
        return $all;
    }

    public function clear(): bool
    {
        $this->entries = [];
        return true;
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $this->check($key, $ttl);
        if (!$this->has($key)) {
            return false;
        }
        $this->entries[$key][2] = $this->end($ttl);
        return true;
    }

    public function increment(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        $there = $this->has($key);
        $value = $there ? $this->entries[$key][0] : 0;
        $sum = \is_int($value) ? $value + $step : false;
        if (!\is_int($sum)) {
            return false;
        }
        if (!$there) {
            $this->set($key, $sum, $ttl);
        } else {
            $this->entries[$key][0] = $sum;
        }
        return $sum;
    }

    public function decrement(string $key, int $step = 1, int|float $ttl = 0): int|false
    {
        return $step === PHP_INT_MIN ? false : $this->increment($key, -$step, $ttl);
    }

    public function lock(string $key, int|float $lease = 0): bool
    {
        $this->check($key, $lease);
        if (\array_key_exists($key, $this->locks) && ($this->locks[$key] ?? INF) > ($this->clock)()) {
            return false;
        }
        $this->locks[$key] = $this->end($lease);
        return true;
    }

    public function unlock(string $key): bool
    {
        $held = \array_key_exists($key, $this->locks) && ($this->locks[$key] ?? INF) > ($this->clock)();
        unset($this->locks[$key]);
        return $held;
    }

    public function remember(string $key, callable $compute, int|float $ttl = 0, int|float $stale = 0): mixed
    {
        $this->check($key, $ttl + $stale);
        $value = $this->get($key, Missing::Value);
        if ($value === Missing::Value) {
            $value = $compute();
            $this->set($key, $value, $ttl === 0 ? 0 : $ttl + $stale);
        }
        return $value;
    }

    private function end(int|float $ttl): ?float
    {
        return $ttl == 0 ? null : ($this->clock)() + $ttl;
    }

    private function check(string $key, int|float $ttl = 0): void
    {
        if ($key === '' || \strlen($key) > 65535) {
            throw new \ValueError('A key must be between 1 and 65535 bytes long, ' . \strlen($key) . ' given');
        }
        if ($ttl < 0 || !is_finite($ttl)) {
            throw new \ValueError('$ttl must be a finite number of seconds, 0 or more');
        }
    }

    /** @return array{mixed, bool} */
    private static function frozen(mixed $value): array
    {
        if ($value === null || \is_scalar($value)) {
            return [$value, false];
        }
        Resources::refuse($value);
        try {
            return [serialize($value), true];
        } catch (\Exception $cause) {
            // The messages of serialize() itself end like this. Exceptions with other messages come from hooks of objects.
            throw str_ends_with($cause->getMessage(), '\' is not allowed') ? new \TypeError($cause->getMessage(), 0, $cause) : $cause;
        }
    }
}
