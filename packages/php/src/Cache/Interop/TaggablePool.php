<?php

declare(strict_types=1);

namespace Larder\Cache\Interop;

use Cache\TagInterop\TaggableCacheItemInterface;
use Cache\TagInterop\TaggableCacheItemPoolInterface;
use Larder\Cache\ItemPool;

/** An ItemPool with the interfaces of the package cache/tag-interop, which must be installed. */
final class TaggablePool extends ItemPool implements TaggableCacheItemPoolInterface
{
    protected const ITEM = TaggableItem::class;

    public function getItem(string $key): TaggableCacheItemInterface
    {
        $item = parent::getItem($key);
        \assert($item instanceof TaggableCacheItemInterface);
        return $item;
    }

    /**
     * @param array<mixed> $keys strings
     * @return iterable<string, TaggableCacheItemInterface>
     */
    public function getItems(array $keys = []): iterable
    {
        /** @var iterable<string, TaggableCacheItemInterface> $items of the class that ITEM names */
        $items = parent::getItems($keys);
        return $items;
    }
}
