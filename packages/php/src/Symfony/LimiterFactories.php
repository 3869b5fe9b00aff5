<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\RateLimiterFactoryInterface;

/* Symfony has an interface for limiter factories from version 7.3 on. Our interface extends Symfony's where Symfony has one. */
if (interface_exists(RateLimiterFactoryInterface::class)) {
    interface LimiterFactories extends RateLimiterFactoryInterface {}
} else {
    interface LimiterFactories
    {
        public function create(?string $key = null): LimiterInterface;
    }
}
