<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\SimpleCacheTest as Suite;
use Larder\Cache\SimpleCache;
use Psr\SimpleCache\CacheInterface;

final class SimpleCacheTest extends Suite
{
    public function createSimpleCache(): CacheInterface
    {
        return new SimpleCache('conformance');
    }
}
