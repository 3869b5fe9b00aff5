<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\CachePoolTest;
use Larder\Cache\ItemPool;
use Larder\Cache\MemoryStore;
use Psr\Cache\CacheItemPoolInterface;

final class MemoryPoolTest extends CachePoolTest
{
    private ?MemoryStore $store = null;

    public function createCachePool(): CacheItemPoolInterface
    {
        return new ItemPool($this->store ??= new MemoryStore());
    }
}
