<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\Clearing;
use Larder\Cache\Envelope;
use Larder\Cache\Missing;
use Larder\Cache\Removal;
use Larder\Cache\Store;
use Larder\Cache\Tags;
use Larder\Cache\Tiered\ServerTrouble;
use Larder\Cache\Tiered\TieredStore;
use Larder\Cache\VolatileStore;
use Larder\Pool;
use Psr\Cache\CacheItemInterface;
use Psr\Log\LoggerAwareInterface;
use Psr\Log\LoggerAwareTrait;
use Symfony\Component\Cache\Adapter\AdapterInterface;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\Exception\InvalidArgumentException;
use Symfony\Component\Cache\ResettableInterface;
use Symfony\Contracts\Cache\CacheInterface;

/**
 * Symfony's cache in a pool of the volatile store. The extension stores values, so nothing is marshalled.
 *
 * - If a value is missing, get() computes it in one process; the others wait, up to 10 seconds. If a value is about to expire, one process
 *   computes a new one, and the others get the old one.
 * - clear() ignores its prefix, and clears the whole pool or, in a sub-namespace, only the sub-namespace.
 *
 * @phpstan-consistent-constructor
 */
class LarderAdapter implements AdapterInterface, CacheInterface, Namespaced, LoggerAwareInterface, ResettableInterface
{
    use LoggerAwareTrait;

    /** @var bool */
    protected const TAGGABLE = false;

    private readonly Pool|Store $store;
    private readonly Tags $tags;
    private readonly Items $items;
    /** @var array<string, CacheItem> */
    private array $deferred = [];
    /** @var array<string, true> the keys whose values this process is computing, in all adapters */
    private static array $computing = [];
    /** The namespace, which keeps the keys apart from other caches. */
    private readonly string $scope;
    /** In a sub-namespace: the prefix of all keys, which is also a tag of all entries. Otherwise ''. */
    private string $namespace = '';

    /**
     * @param Store|string $namespace a namespace, or a store; adapters with the same namespace share their entries
     * @param int $defaultLifetime seconds; 0: no limit
     * @param string $version adapters with different versions do not share entries; no effect if $namespace is a Store
     */
    public function __construct(Store|string $namespace = '', private readonly int $defaultLifetime = 0, string $version = '')
    {
        $store = \is_string($namespace) ? new VolatileStore(rtrim(rtrim("symfony.$namespace", '.') . ".$version", '.')) : $namespace;
        $this->store = $store instanceof VolatileStore ? $store->pool() : $store;
        $this->scope = $this->store instanceof Pool ? $this->store->name() : '#' . spl_object_id($this->store);
        $this->tags = new Tags($this->store);
        $this->items = new Items((bool) static::TAGGABLE);
    }

    public function __destruct()
    {
        if ($this->deferred !== []) {
            $this->commit();
        }
    }

    public function __clone()
    {
        $this->deferred = [];
    }

    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        throw new \BadMethodCallException('Cannot serialize ' . static::class);
    }

    /** Returns the pool or the store that contains the entries. */
    public function store(): Pool|Store
    {
        return $this->store;
    }

    /** @param array<string, mixed> $metadata receives the metadata of the item */
    public function get(string $key, callable $callback, ?float $beta = null, ?array &$metadata = null): mixed
    {
        if ($this->deferred !== []) {
            $this->commit();
        }
        if ($beta !== null && !($beta >= 0)) {
            throw new InvalidArgumentException(\sprintf('Argument "$beta" provided to "%s::get()" must be a positive number, %f given.', static::class, $beta));
        }
        $metadata = [];
        $stored = $this->read($key);
        if ($stored === Missing::Value) {
            return $this->compute($key, $callback, false, $metadata);
        }
        if (!\is_array($stored) || ($stored[0] ?? null) !== Envelope::MARK) {
            return $beta === INF ? $this->compute($key, $callback, true, $metadata) : $stored;
        }
        /** @var array{int, mixed, array<string, int>, array<string, mixed>} $stored */
        $store = $this->store;
        foreach ($stored[Envelope::TAGS] as $tag => $number) { // holds(), inlined to save a call
            if ($store->get($tag) !== $number) {
                return $this->compute($key, $callback, false, $metadata);
            }
        }
        $about = $metadata = $stored[Envelope::MORE];
        if (($beta === INF || isset($about[CacheItem::METADATA_EXPIRY])) && $this->shouldRefresh($key, $about, $beta ?? 1.0)) {
            if ($beta === INF) {
                return $this->compute($key, $callback, true, $metadata);
            }
            // the process that gets the reservation computes the value; others do not wait
            if ($this->store->lock($this->reservation($key))) {
                try {
                    return $this->callAndSave($key, $callback, $stored[Envelope::VALUE], true, $metadata);
                } finally {
                    $this->store->unlock($this->reservation($key));
                }
            }
        }
        return $stored[Envelope::VALUE];
    }

    public function delete(string $key): bool
    {
        return $this->deleteItem($key);
    }

    /** @param mixed $key a string; a caller may pass another type by mistake */
    public function getItem(mixed $key): CacheItem
    {
        if ($this->deferred !== []) {
            $this->commit();
        }
        $key = \is_string($key) ? $key : CacheItem::validateKey($key);
        $stored = $this->read($key);
        if ($stored === Missing::Value) {
            return ($this->items->make)($key, null, false, []);
        }
        if (!\is_array($stored) || ($stored[0] ?? null) !== Envelope::MARK) {
            return ($this->items->make)($key, $stored, true, []);
        }
        /** @var array{int, mixed, array<string, int>, array<string, mixed>} $stored */
        $store = $this->store;
        foreach ($stored[Envelope::TAGS] as $tag => $number) { // holds(), inlined to save a call
            if ($store->get($tag) !== $number) {
                return ($this->items->make)($key, null, false, []);
            }
        }
        return ($this->items->make)($key, $stored[Envelope::VALUE], true, $stored[Envelope::MORE]);
    }

    public function getItems(array $keys = []): iterable
    {
        if ($this->deferred !== []) {
            $this->commit();
        }
        $wanted = [];
        foreach ($keys as $key) {
            $key = CacheItem::validateKey($key);
            $wanted[$this->namespace . $key] = $key;
        }
        return $this->each($wanted);
    }

    public function hasItem(mixed $key): bool
    {
        return $this->getItem($key)->isHit();
    }

    public function clear(string $prefix = ''): bool
    {
        $this->deferred = [];
        $cleared = $this->namespace === '' ? $this->store->clear() : $this->tags->invalidate([$this->namespace]);
        $trouble = $this->store instanceof Pool ? Clearing::reachesNot(self::isClearing()) : null;
        $trouble === null || $this->logger?->warning("The cache of others was not cleared: $trouble", ['cache-adapter' => static::class]);
        $unseen = $trouble === null && $this->store instanceof Pool && self::isClearing() ? Clearing::unseen() : null;
        $unseen === null || $this->logger?->warning("Larder: $unseen", ['cache-adapter' => static::class]);
        return $cleared && $trouble === null;
    }

    public function deleteItem(mixed $key): bool
    {
        return $this->deleteItems([$key]);
    }

    public function deleteItems(array $keys): bool
    {
        $gone = true;
        foreach ($keys as $key) {
            CacheItem::validateKey($key);
        }
        foreach ($keys as $key) {
            unset($this->deferred[$key]);
            $gone = Removal::of($this->store, [$this->namespace . $key]) && $gone;
        }
        return $gone;
    }

    public function save(CacheItemInterface $item): bool
    {
        if (!$item instanceof CacheItem) {
            return false;
        }
        if ($this->deferred !== []) {
            unset($this->deferred[$item->getKey()]);
        }
        return $this->write($item);
    }

    public function saveDeferred(CacheItemInterface $item): bool
    {
        if (!$item instanceof CacheItem) {
            return false;
        }
        $this->deferred[$item->getKey()] = clone $item;
        return true;
    }

    public function commit(): bool
    {
        $stored = true;
        [$items, $this->deferred] = [$this->deferred, []];
        foreach ($items as $item) {
            $stored = $this->write($item) && $stored;
        }
        return $stored;
    }

    public function reset(): void
    {
        if ($this->deferred !== []) {
            $this->commit();
        }
    }

    /** Returns an adapter for a sub-namespace of this adapter. clear() of this adapter also clears the sub-namespace. */
    public function withSubNamespace(string $namespace): static
    {
        CacheItem::validateKey($namespace);
        $this->reset();
        $clone = clone $this;
        $clone->namespace = ($this->namespace ?: '/') . "$namespace/";
        return $clone;
    }

    /** Returns true in a command such as `cache:clear` or `cache:pool:clear`. Such a command reports that the cache was cleared. */
    private static function isClearing(): bool
    {
        $arguments = $_SERVER['argv'] ?? null;
        return \is_array($arguments) && preg_grep('/^cache:.*clear/', array_filter($arguments, \is_string(...))) !== [];
    }

    /**
     * Makes all entries with at least one of these tags invalid.
     *
     * @param string[] $tags
     */
    protected function invalidate(array $tags): bool
    {
        $keys = [];
        foreach ($tags as $tag) {
            $keys[] = '@' . CacheItem::validateKey($tag);
        }
        $this->deferred = array_filter(
            $this->deferred,
            fn(CacheItem $item): bool => array_intersect($tags, self::tagsOf(($this->items->open)($item)[1])) === [],
        );
        return $this->tags->invalidate($keys);
    }

    /** Returns the stored value of a key. Returns Missing::Value if there is no entry, or if a tag of the entry was invalidated. */
    private function fetch(string $key): mixed
    {
        $stored = $this->read($key);
        return \is_array($stored) && !$this->holds($stored) ? Missing::Value : $stored;
    }

    /**
     * Returns the stored value of a key, even if its tags were invalidated. Returns Missing::Value if there is no entry.
     *
     * A key with an entry was checked when the entry was stored. Two kinds of keys are always checked: keys in a sub-namespace, and keys that
     * begin with "@" or "/".
     */
    private function read(string $key): mixed
    {
        try {
            $stored = $this->store->get($this->namespace === '' ? $key : $this->namespace . $key, Missing::Value);
        } catch (\Throwable $error) { // a hook of the stored class has thrown, or the key is invalid
            $error instanceof ServerTrouble && throw $error;
            $error instanceof \ValueError && $this->checkRefused($key);
            $this->logger?->warning('Failed to fetch key "{key}": ' . $error->getMessage(), ['key' => $key, 'exception' => $error, 'cache-adapter' => static::class]);
            return Missing::Value;
        }
        if ($stored === Missing::Value || $this->namespace !== '' || $key[0] === '@' || $key[0] === '/') {
            CacheItem::validateKey($key);
        }
        return $stored;
    }

    /** Throws if the key is invalid, or if the store refuses it. */
    private function checkRefused(string $key): void
    {
        CacheItem::validateKey($key);
        try {
            $this->store->has($this->namespace . $key);
        } catch (\ValueError $error) {
            throw new InvalidArgumentException($error->getMessage(), 0, $error);
        }
    }

    /**
     * Returns true if no tag of an entry was invalidated after the entry was stored.
     *
     * @param array<mixed> $stored an envelope, or another array
     */
    private function holds(array $stored): bool
    {
        if (!Envelope::is($stored)) {
            return true;
        }
        foreach ($stored[Envelope::TAGS] as $tag => $number) {
            if ($this->store->get($tag) !== $number) {
                return false;
            }
        }
        return true;
    }

    private function opened(string $key, mixed $stored): CacheItem
    {
        if ($stored === Missing::Value) {
            return ($this->items->make)($key, null, false, []);
        }
        if (!\is_array($stored) || ($stored[0] ?? null) !== Envelope::MARK) {
            return ($this->items->make)($key, $stored, true, []);
        }
        /** @var array<string, mixed> $about written by write() */
        $about = $stored[Envelope::MORE];
        return ($this->items->make)($key, $stored[Envelope::VALUE], true, $about);
    }

    /**
     * @param array<array-key, string> $keys the keys of the items, by the keys that they have in the store
     * @return \Generator<string, CacheItem>
     */
    private function each(array $keys): \Generator
    {
        try {
            $found = $this->store->getMultiple(array_keys($keys), array_fill_keys(array_keys($keys), Missing::Value));
        } catch (\Throwable $error) { // a hook of one of the values has thrown
            $error instanceof ServerTrouble && throw $error;
            $found = null;
        }
        foreach ($keys as $stored => $key) {
            $value = $found[$stored] ?? null;
            $whole = $found !== null && !(Envelope::is($value) && $value[Envelope::TAGS] !== []);
            yield $key => $this->opened($key, $whole ? $value : $this->fetch($key));
        }
    }

    /**
     * Decides by chance whether a value counts as expired: more often if it expires soon, or took long to compute.
     *
     * @param array<string, mixed> $metadata
     */
    private function shouldRefresh(string $key, array $metadata, float $beta): bool
    {
        if ($beta === INF) {
            return true;
        }
        $end = $metadata[CacheItem::METADATA_EXPIRY] ?? null;
        $spent = $metadata[CacheItem::METADATA_CTIME] ?? null;
        if (!\is_float($end) || !\is_int($spent)) {
            return false;
        }
        $now = microtime(true);
        if ($end > $now - $spent / 1000 * $beta * log(random_int(1, PHP_INT_MAX) / PHP_INT_MAX)) {
            return false;
        }
        $this->logger?->info('Item "{key}" elected for early recomputation {delta}s before its expiration', ['key' => $key, 'delta' => \sprintf('%.1f', $end - $now)]);
        return true;
    }

    private function reservation(string $key): string
    {
        return "($this->namespace$key";
    }

    /** @param array<string, mixed> $metadata */
    private function compute(string $key, callable $callback, bool $force, ?array &$metadata): mixed
    {
        // if the callback calls get() for its own key, the inner call neither waits nor stores
        if (isset(self::$computing["$this->scope\0$this->namespace$key"])) {
            $save = true;
            return $callback(($this->items->make)($key, null, false, []), $save);
        }
        try {
            return $this->store->remember($this->reservation($key), function () use ($key, $callback, $force, &$metadata): never {
                $stored = $this->fetch($key);
                // another process may have stored a value; if $force is false, use this value
                $hit = $stored !== Missing::Value;
                $value = Envelope::is($stored) ? $stored[Envelope::VALUE] : ($hit ? $stored : null);
                $metadata = Envelope::is($stored) ? $stored[Envelope::MORE] : [];
                throw new Computed($hit && !$force ? $value : $this->callAndSave($key, $callback, $value, $hit, $metadata));
            });
        } catch (Computed $computed) {
            return $computed->value;
        }
    }

    /** @param array<string, mixed> $metadata */
    private function callAndSave(string $key, callable $callback, mixed $old, bool $hit, ?array &$metadata): mixed
    {
        $computing = "$this->scope\0$this->namespace$key";
        self::$computing[$computing] = true;
        try {
            $item = ($this->items->make)($key, $old, $hit, $metadata ?? []);
            $save = true;
            $start = hrtime(true);
            $value = $callback($item, $save);
            /** @var bool $save the callback may have changed it */
            if ($save) {
                $this->write($item->set($value), (int) ceil((hrtime(true) - $start) / 1e6), $metadata);
            }
            return $value;
        } finally {
            unset(self::$computing[$computing]);
        }
    }

    /** @param array<string, mixed> $metadata receives the metadata that was stored */
    private function write(CacheItem $item, ?int $spent = null, ?array &$metadata = null): bool
    {
        $key = $item->getKey();
        [$end, $new] = ($this->items->open)($item);
        static::TAGGABLE && ($this->items->saved)($item);
        $ttl = $end === null ? $this->defaultLifetime : 0;
        $stored = $this->namespace === '' ? $key : $this->namespace . $key;
        // An end of 0 means no limit. TagAwareAdapter stores its tags with this end.
        if ($end) {
            $ttl = $end - microtime(true);
            if ($ttl <= 0) {
                return Removal::of($this->store, [$stored]);
            }
        }
        $spent ??= $new[CacheItem::METADATA_CTIME] ?? null;
        $about = [];
        // ChainAdapter reads METADATA_EXPIRY
        if ($ttl > 0 && ($spent !== null || isset($new[CacheItem::METADATA_TAGS]))) {
            $about = [CacheItem::METADATA_EXPIRY => microtime(true) + $ttl] + ($spent !== null ? [CacheItem::METADATA_CTIME => $spent] : []);
        }
        // from Symfony's TagAwareAdapter
        if (isset($new[CacheItem::METADATA_TAGS])) {
            $about[CacheItem::METADATA_TAGS] = $new[CacheItem::METADATA_TAGS];
        }
        try {
            $tags = $new === [] && $this->namespace === '' ? [] : $this->tags->numbers($this->tagKeys($new));
            $value = $item->get();
            if ($tags !== [] || $about !== [] || \is_array($value)) {
                $value = Envelope::wrap($value, $tags ?? [], $about);
            }
            $metadata = $about;
            $done = $tags !== null && $this->store->set($stored, $value, $ttl);
        } catch (\Throwable $error) {
            $error instanceof ServerTrouble && throw $error;
            CacheItem::validateKey($key);
            $done = false;
        }
        if (!$done) {
            $error ??= TieredStore::errorOf($this->store);
            $this->logger?->warning(
                'Failed to save key "{key}" of type {type}: ' . ($error?->getMessage() ?? 'the store is full or busy'),
                ['key' => $key, 'type' => get_debug_type($item->get()), 'exception' => $error, 'cache-adapter' => static::class],
            );
        }
        return $done;
    }

    /**
     * @param array<string, mixed> $metadata
     * @return list<string>
     */
    private static function tagsOf(array $metadata): array
    {
        $tags = $metadata[CacheItem::METADATA_TAGS] ?? [];
        return \is_array($tags) ? array_map(strval(...), array_keys($tags)) : [];
    }

    /**
     * @param array<string, mixed> $metadata
     * @return list<string>
     */
    private function tagKeys(array $metadata): array
    {
        $keys = static::TAGGABLE ? array_map(static fn(string $tag): string => "@$tag", self::tagsOf($metadata)) : [];
        $path = '/';
        foreach (array_filter(explode('/', $this->namespace), static fn(string $level): bool => $level !== '') as $level) {
            $keys[] = $path .= "$level/";
        }
        return $keys;
    }
}
