<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Cache\Exception\InvalidArgument;
use Larder\Cache\Tiered\ServerTrouble;
use Larder\Cache\Tiered\TieredStore;
use Larder\Pool;
use Psr\Cache\CacheItemInterface;
use Psr\Cache\CacheItemPoolInterface;

/**
 * A PSR-6 pool with tags. An entry without tags is stored unchanged, under its key.
 *
 * save() checks keys, so getItem() need not check the key of an entry that it finds. It checks the key if it finds no entry. It also checks
 * the key if it finds an int: tags and hierarchy levels are ints, stored under keys that save() would refuse.
 */
class ItemPool implements CacheItemPoolInterface
{
    /** @var class-string<Item> */
    protected const ITEM = Item::class;

    private readonly Pool|Store $store;
    private readonly Tags $tags;
    /** @var array<string, Item> */
    private array $deferred = [];
    private ?\Throwable $error = null;

    /**
     * Makes a pool. In a hierarchical pool, a key that begins with "|" costs one more look-up for each level.
     *
     * @param Store|string $store a store, or the name of a pool in the volatile store
     * @param int|float $lifetime seconds that entries live if they have no time of their own; 0: no limit
     * @param bool $hierarchical if true, keys that begin with "|" are paths, and deleting "|a|b" also deletes all keys that begin with
     * "|a|b|"
     */
    public function __construct(
        Store|string $store,
        private readonly int|float $lifetime = 0,
        private readonly bool $hierarchical = false,
    ) {
        $store = \is_string($store) ? new VolatileStore($store) : $store;
        $this->store = $store instanceof VolatileStore ? $store->pool() : $store;
        $this->tags = new Tags($this->store);
    }

    public function __destruct()
    {
        $this->commit();
    }

    public function __clone()
    {
        $this->deferred = []; // the original pool saves them
    }

    public function getItem(string $key): CacheItemInterface
    {
        if ($this->deferred !== [] && isset($this->deferred[$key])) {
            return $this->found($this->deferred[$key]);
        }
        try {
            $stored = $this->store->get($key, Missing::Value);
        } catch (\Throwable $error) {
            // A hook of the stored class has thrown, or the key is invalid.
            $error instanceof ServerTrouble && throw $error;
            Key::check($key);
            $error instanceof \ValueError && $this->store->has($key); // throws if the store refuses the key
            $this->error = $error;
            $stored = Missing::Value;
        }
        if ($stored === Missing::Value) {
            return new (static::ITEM)(Key::check($key), null, false);
        }
        if (\is_int($stored)) {
            Key::check($key);
        }
        return $this->opened($key, $stored);
    }

    /**
     * @param array<mixed> $keys strings
     * @return iterable<string, CacheItemInterface>
     */
    public function getItems(array $keys = []): iterable
    {
        return $this->each(Key::checkAll($keys));
    }

    public function hasItem(string $key): bool
    {
        return $this->getItem($key)->isHit();
    }

    public function clear(): bool
    {
        $this->deferred = [];
        return $this->store->clear();
    }

    public function deleteItem(string $key): bool
    {
        return $this->deleteItems([$key]);
    }

    /** @param array<mixed> $keys strings */
    public function deleteItems(array $keys): bool
    {
        $gone = true;
        foreach (Key::checkAll($keys) as $key) {
            unset($this->deferred[$key]);
            if ($this->hierarchical && $key[0] === '|') {
                $this->forget('/' . rtrim($key, '|'));
                $gone = $this->tags->invalidate(['/' . rtrim($key, '|')]) && $gone;
            }
            $gone = Removal::of($this->store, [$key]) && $gone;
        }
        return $gone;
    }

    public function save(CacheItemInterface $item): bool
    {
        $item = $this->own($item);
        unset($this->deferred[$item->getKey()]);
        return $this->write($item);
    }

    public function saveDeferred(CacheItemInterface $item): bool
    {
        $this->deferred[$item->getKey()] = clone $this->own($item);
        return true;
    }

    public function commit(): bool
    {
        $stored = true;
        $error = null;
        [$items, $this->deferred] = [$this->deferred, []];
        foreach ($items as $item) {
            if (!$this->write($item)) {
                $stored = false;
                $error ??= $this->error;
            }
        }
        $this->error = $error;
        return $stored;
    }

    /** Makes all entries with this tag invalid. */
    public function invalidateTag(string $tag): bool
    {
        return $this->invalidateTags([$tag]);
    }

    /**
     * Makes all entries with at least one of these tags invalid.
     *
     * @param array<mixed> $tags strings
     */
    public function invalidateTags(array $tags): bool
    {
        foreach ($tags as $tag) {
            if (!\is_string($tag) || $tag === '' || isset($tag[Key::MAX]) || strpbrk($tag, Key::RESERVED) !== false) {
                Key::check($tag, 'A tag');
            }
        }
        $done = true;
        /** @var list<string> $tags */
        foreach ($tags as $tag) {
            $this->deferred === [] || $this->forget("@$tag");
            $number = $this->store->increment("@$tag");
            if ($number === false || $number < Tags::LEAST) {
                $done = $this->tags->invalidate(["@$tag"]) && $done;
            }
        }
        return $done;
    }

    /** Returns the exception of the last call. Returns null if this call has succeeded, or if the store was full or busy. */
    public function lastError(): ?\Throwable
    {
        return $this->error ?? TieredStore::errorOf($this->store);
    }

    /**
     * @param list<string> $keys
     * @return \Generator<string, CacheItemInterface>
     */
    private function each(array $keys): \Generator
    {
        try {
            $found = $this->store->getMultiple($keys, array_fill_keys($keys, Missing::Value));
        } catch (\Throwable $error) { // a hook of one of the values has thrown
            $error instanceof ServerTrouble && throw $error;
            $found = null;
        }
        foreach ($keys as $key) {
            yield $key => match (true) {
                $found === null || isset($this->deferred[$key]) => $this->getItem($key),
                $found[$key] === Missing::Value => new (static::ITEM)($key, null, false),
                default => $this->opened($key, $found[$key]),
            };
        }
    }

    private function opened(string $key, mixed $stored): Item
    {
        if (!\is_array($stored) || ($stored[0] ?? null) !== Envelope::MARK) {
            return new (static::ITEM)($key, $stored, true);
        }
        /** @var array<string, int> $numbers written by Envelope::wrap() */
        $numbers = $stored[Envelope::TAGS];
        $store = $this->store;
        foreach ($numbers as $tag => $number) {
            if ($store->get($tag) !== $number) {
                return new (static::ITEM)($key, null, false);
            }
        }
        return new (static::ITEM)($key, $stored[Envelope::VALUE], true, $numbers);
    }

    private function found(Item $deferred): Item
    {
        $left = $deferred->left();
        if (\is_float($left) && $left <= 0) {
            return new (static::ITEM)($deferred->getKey(), null, false);
        }
        return $deferred->asFound();
    }

    private function own(CacheItemInterface $item): Item
    {
        return $item instanceof Item ? $item
            : throw new InvalidArgument(\sprintf('An item must come from a pool of this library, %s given', $item::class));
    }

    private function write(Item $item): bool
    {
        $this->error = null;
        $key = Key::check($item->getKey());
        $left = $item->left();
        $ttl = $left === false ? $this->lifetime : $left ?? 0;
        if (\is_float($left) && $left <= 0) {
            return Removal::of($this->store, [$key]);
        }
        $tags = $this->tags->numbers($this->tagKeys($item));
        try {
            return $tags !== null && $this->store->set($key, Envelope::wrap($item->get(), $tags), $ttl);
        } catch (\Throwable $error) {
            $error instanceof ServerTrouble && throw $error;
            $this->error = $error;
            return false;
        }
    }

    /**
     * Returns the keys of the item's tags and hierarchy levels.
     *
     * @return list<string>
     */
    private function tagKeys(Item $item): array
    {
        $keys = array_map(static fn(string $tag): string => "@$tag", $item->tags());
        $key = $item->getKey();
        if ($this->hierarchical && $key[0] === '|') {
            $path = '/';
            $keys[] = $path; // the root, "|"
            foreach (explode('|', trim($key, '|')) as $level) {
                $keys[] = $path .= "|$level";
            }
        }
        return $keys;
    }

    /** Drops the deferred items with this invalid tag or hierarchy level. */
    private function forget(string $tagKey): void
    {
        foreach ($this->deferred as $key => $item) {
            if (\in_array($tagKey, $this->tagKeys($item), true)) {
                unset($this->deferred[$key]);
            }
        }
    }
}
