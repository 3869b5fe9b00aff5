<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\CachePoolTest;
use Larder\Symfony\LarderAdapter;
use Psr\Cache\CacheItemPoolInterface;

final class SymfonyPoolTest extends CachePoolTest
{
    public function createCachePool(): CacheItemPoolInterface
    {
        return new LarderAdapter('conformance');
    }
}
