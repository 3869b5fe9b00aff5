<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Pool;
use Symfony\Component\RateLimiter\LimiterInterface;

/** Makes a LarderLimiter for each key of one limit, as Symfony's factory does for its policies. */
final class LarderLimiterFactory implements LimiterFactories
{
    /** @param string $id names the limit, as `id` does in Symfony's configuration */
    public function __construct(private readonly string $id, private readonly int $limit, private readonly float $per, private readonly ?Pool $pool = null) {}

    public function create(?string $key = null): LimiterInterface
    {
        return new LarderLimiter("$this->id-$key", $this->limit, $this->per, $this->pool);
    }
}
