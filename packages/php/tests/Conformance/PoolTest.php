<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\CachePoolTest;
use Larder\Cache\ItemPool;
use Psr\Cache\CacheItemPoolInterface;

final class PoolTest extends CachePoolTest
{
    public function createCachePool(): CacheItemPoolInterface
    {
        return new ItemPool('conformance');
    }
}
