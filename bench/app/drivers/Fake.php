<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;

/** Does nothing, so that only the cost of a request is measured. */
final class Fake implements Driver
{
    public function increment(string $key): int
    {
        return 0;
    }

    public function store(string $key, mixed $value): void
    {
    }

    public function fetch(string $key): mixed
    {
        return null;
    }
}
