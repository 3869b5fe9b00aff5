<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;
use Bench\Unavailable;
use Larder\PinnedCache;
use RuntimeException;

/** Larder's pinned store, whose entries stay until they are deleted. */
final class LarderPinned implements Driver
{
    public const SETTINGS = ['extension=larder', 'larder.pinned_size=64M'];

    public function __construct()
    {
        class_exists(PinnedCache::class, false)
            || throw new Unavailable("PHP's extension larder is not loaded: \"make php\" builds it");
    }

    public function increment(string $key): int
    {
        $sum = PinnedCache::increment($key);
        return $sum !== false ? $sum : throw new RuntimeException("Larder: $key was not incremented");
    }

    public function store(string $key, mixed $value): void
    {
        PinnedCache::set($key, $value) || throw new RuntimeException("Larder: $key was not stored");
    }

    public function fetch(string $key): mixed
    {
        return PinnedCache::get($key);
    }
}
