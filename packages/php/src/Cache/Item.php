<?php

declare(strict_types=1);

namespace Larder\Cache;

use Psr\Cache\CacheItemInterface;

/** An entry of an ItemPool, which makes these objects. */
class Item implements CacheItemInterface
{
    /** @var array<string, string> */
    private array $tags = [];
    /**
     * The end of the entry: a Unix timestamp, or a time of the monotonic clock. null: it has no end. false: the lifetime of the pool
     * applies.
     */
    private float|false|null $end = false;
    /** True if $end is a time of the monotonic clock. Times to live in seconds use this clock, because it cannot be set. */
    private bool $monotonic = false;

    /**
     * @internal
     * @param array<string, mixed> $previous the tags of the stored entry, by the keys that the tags have in the store
     */
    final public function __construct(
        private readonly string $key,
        private mixed $value,
        private readonly bool $hit,
        private readonly array $previous = [],
    ) {}

    public function getKey(): string
    {
        return $this->key;
    }

    public function get(): mixed
    {
        return $this->value;
    }

    public function isHit(): bool
    {
        return $this->hit;
    }

    public function set(mixed $value): static
    {
        $this->value = $value;
        return $this;
    }

    /** @param \DateTimeInterface|null $expiration null: the lifetime of the pool */
    public function expiresAt(?\DateTimeInterface $expiration): static
    {
        $this->end = $expiration === null ? false : (float) $expiration->format('U.u');
        $this->monotonic = false;
        return $this;
    }

    /** @param int|\DateInterval|null $time seconds; null: the lifetime of the pool */
    public function expiresAfter(int|\DateInterval|null $time): static
    {
        $this->end = $time === null ? false : hrtime(true) / 1e9 + Ttl::seconds($time);
        $this->monotonic = true;
        return $this;
    }

    /**
     * Sets the tags with which the entry will be saved. They replace tags that were set before.
     *
     * @param iterable<mixed> $tags strings, which follow the rules for keys
     */
    public function setTags(iterable $tags): static
    {
        $checked = Key::checkAll($tags, 'A tag');
        $this->tags = array_combine($checked, $checked);
        return $this;
    }

    /**
     * The tags that the entry had when it was fetched.
     *
     * @return array<string, string>
     */
    public function getPreviousTags(): array
    {
        $tags = [];
        foreach ($this->previous as $tag => $_) {
            if ($tag[0] === '@') { // keys of tags begin with "@"; the other keys are for levels of a hierarchy
                $tag = substr($tag, 1);
                $tags[$tag] = $tag;
            }
        }
        return $tags;
    }

    /**
     * @internal
     * @return list<string>
     */
    public function tags(): array
    {
        return array_map(strval(...), array_values($this->tags));
    }

    /**
     * Returns the seconds that the entry has left. null: it has no end. false: the lifetime of the pool applies.
     *
     * @internal
     */
    public function left(): float|false|null
    {
        return \is_float($this->end) ? $this->end - ($this->monotonic ? hrtime(true) / 1e9 : microtime(true)) : $this->end;
    }

    /**
     * Returns the item that the pool returns while this one is deferred (not saved yet).
     *
     * @internal
     */
    public function asFound(): static
    {
        $found = new static($this->key, $this->value, true, array_fill_keys(array_map(static fn(string $tag): string => "@$tag", $this->tags()), null));
        $found->end = $this->end;
        $found->monotonic = $this->monotonic;
        return $found;
    }
}
