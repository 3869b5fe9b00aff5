<?php

declare(strict_types=1);

namespace Larder\Tests\Conformance;

use Cache\IntegrationTests\SimpleCacheTest as Suite;
use Larder\Cache\MemoryStore;
use Larder\Cache\SimpleCache;
use Psr\SimpleCache\CacheInterface;

final class MemorySimpleCacheTest extends Suite
{
    private float $passed = 0;

    public function createSimpleCache(): CacheInterface
    {
        return new SimpleCache(new MemoryStore(fn(): float => microtime(true) + $this->passed));
    }

    public function advanceTime(int $seconds): void
    {
        $this->passed += $seconds;
    }
}
