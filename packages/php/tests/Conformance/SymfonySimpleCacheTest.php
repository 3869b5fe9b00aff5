<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\SimpleCacheTest;
use Larder\Symfony\LarderAdapter;
use Psr\SimpleCache\CacheInterface;
use Symfony\Component\Cache\Psr16Cache;

final class SymfonySimpleCacheTest extends SimpleCacheTest
{
    public function createSimpleCache(): CacheInterface
    {
        return new Psr16Cache(new LarderAdapter('conformance'));
    }
}
