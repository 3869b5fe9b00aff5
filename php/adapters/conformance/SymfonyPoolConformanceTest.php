<?php

use Cache\IntegrationTests\CachePoolTest;
use Psr\Cache\CacheItemPoolInterface;
use Symfony\Component\Cache\Adapter\ApcuAdapter;

final class SymfonyPoolConformanceTest extends CachePoolTest
{
    public function createCachePool(): CacheItemPoolInterface
    {
        return new ApcuAdapter('conformance');
    }
}
