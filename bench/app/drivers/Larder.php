<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;
use Bench\Unavailable;
use Larder\VolatileCache;
use RuntimeException;

/** Larder's volatile store, which may evict entries. */
final class Larder implements Driver
{
    public const SETTINGS = ['extension=larder', 'larder.volatile_size=128M'];

    public function __construct()
    {
        class_exists(VolatileCache::class, false)
            || throw new Unavailable("PHP's extension larder is not loaded: \"make php\" builds it");
    }

    public function increment(string $key): int
    {
        $sum = VolatileCache::increment($key);
        return $sum !== false ? $sum : throw new RuntimeException("Larder: $key was not incremented");
    }

    public function store(string $key, mixed $value): void
    {
        VolatileCache::set($key, $value) || throw new RuntimeException("Larder: $key was not stored");
    }

    public function fetch(string $key): mixed
    {
        return VolatileCache::get($key);
    }
}
