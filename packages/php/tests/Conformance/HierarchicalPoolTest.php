<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\HierarchicalCachePoolTest;
use Larder\Cache\ItemPool;
use Psr\Cache\CacheItemPoolInterface;

final class HierarchicalPoolTest extends HierarchicalCachePoolTest
{
    public function createCachePool(): CacheItemPoolInterface
    {
        return new ItemPool('conformance', hierarchical: true);
    }
}
