<?php

use Cache\IntegrationTests\SimpleCacheTest;
use Psr\SimpleCache\CacheInterface;
use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Cache\Psr16Cache;

final class SymfonySimpleCacheConformanceTest extends SimpleCacheTest
{
    public function createSimpleCache(): CacheInterface
    {
        return new Psr16Cache(new ApcuAdapter('conformance'));
    }
}
