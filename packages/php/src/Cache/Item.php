<?php

declare(strict_types=1);

namespace Larder\Cache;

use Psr\Cache\CacheItemInterface;

/** An entry of an ItemPool. Only the pool makes these objects. */
class Item implements CacheItemInterface
{
    /** @var array<string, string> */
    private array $tags = [];
    /** When the entry ends: a Unix timestamp, or a time of the monotonic clock. null: it has no end. false: the pool's lifetime applies. */
    private float|false|null $end = false;
    /** True if $end is a time of the monotonic clock. */
    private bool $monotonic = false;

    /**
     * @internal
     * @param array<string, mixed> $previous the tags of the stored entry, by their keys in the store
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

    /** @param \DateTimeInterface|null $expiration null: the pool's lifetime applies */
    public function expiresAt(?\DateTimeInterface $expiration): static
    {
        $this->end = $expiration === null ? false : (float) $expiration->format('U.u');
        $this->monotonic = false;
        return $this;
    }

    /** @param int|\DateInterval|null $time an int is a number of seconds; null: the pool's lifetime applies */
    public function expiresAfter(int|\DateInterval|null $time): static
    {
        $this->end = $time === null ? false : hrtime(true) / 1e9 + Ttl::seconds($time);
        $this->monotonic = true;
        return $this;
    }

    /**
     * Sets the tags that save() will store. Replaces the tags of an earlier call.
     *
     * @param iterable<mixed> $tags strings; a tag must be a valid key
     */
    public function setTags(iterable $tags): static
    {
        $checked = Key::checkAll($tags, 'A tag');
        $this->tags = array_combine($checked, $checked);
        return $this;
    }

    /**
     * Returns the tags that the entry had when it was fetched.
     *
     * @return array<string, string>
     */
    public function getPreviousTags(): array
    {
        $tags = [];
        foreach ($this->previous as $tag => $_) {
            if ($tag[0] === '@') { // the key of a tag; keys without "@" belong to levels of a hierarchy
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
     * Returns the seconds until the entry ends. null: no limit. false: the pool's lifetime applies.
     *
     * @internal
     */
    public function left(): float|false|null
    {
        return \is_float($this->end) ? $this->end - ($this->monotonic ? hrtime(true) / 1e9 : microtime(true)) : $this->end;
    }

    /**
     * Returns a copy of this deferred item, for getItem().
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
