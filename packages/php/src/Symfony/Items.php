<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Cache\CacheItem;

/**
 * Makes cache items, and reads their private fields. The closures are bound to the class CacheItem, so they may use these fields.
 *
 * @internal
 */
final class Items
{
    /** @var \Closure(string, mixed, bool, array<string, mixed>): CacheItem */
    public readonly \Closure $make;
    /** @var \Closure(CacheItem): array{float|int|null, array<string, mixed>} returns when the item expires, and its new metadata */
    public readonly \Closure $open;
    /**
     * @var \Closure(CacheItem): void called after an item was saved; turns its new metadata into its current metadata, as Symfony's
     * adapters do
     */
    public readonly \Closure $saved;

    public function __construct(bool $taggable)
    {
        $template = new CacheItem();
        \Closure::bind(static function (CacheItem $item) use ($taggable): void {
            $item->isTaggable = $taggable;
        }, null, CacheItem::class)($template);
        $this->make = \Closure::bind(static function (string $key, mixed $value, bool $hit, array $metadata) use ($template): CacheItem {
            $item = clone $template;
            $item->key = $key;
            $item->value = $value;
            $item->isHit = $hit;
            $item->metadata = $metadata;
            return $item;
        }, null, CacheItem::class);
        /** @var \Closure(CacheItem): array{float|int|null, array<string, mixed>} $open */
        $open = \Closure::bind(static fn(CacheItem $item): array => [$item->expiry, $item->newMetadata], null, CacheItem::class);
        $this->open = $open;
        $this->saved = \Closure::bind(static function (CacheItem $item): void {
            $item->metadata = $item->newMetadata;
        }, null, CacheItem::class);
    }
}
