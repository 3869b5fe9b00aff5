<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\TaggableCachePoolTest;
use Cache\TagInterop\TaggableCacheItemPoolInterface;
use Larder\Cache\Interop\TaggablePool;

final class TaggablePoolTest extends TaggableCachePoolTest
{
    public function createCachePool(): TaggableCacheItemPoolInterface
    {
        return new TaggablePool('conformance');
    }
}
