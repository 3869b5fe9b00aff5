<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\RateLimiterFactoryInterface;

/* Extends Symfony's interface for limiter factories, which exists from version 7.3 on. */
if (interface_exists(RateLimiterFactoryInterface::class)) {
    interface LimiterFactories extends RateLimiterFactoryInterface {}
} else {
    interface LimiterFactories
    {
        public function create(?string $key = null): LimiterInterface;
    }
}
