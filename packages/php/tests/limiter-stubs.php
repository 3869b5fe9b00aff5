<?php

/* Declarations of Symfony's RateLimiter and Semaphore for PHPStan. The tests do not install these components. */

declare(strict_types=1);

namespace Symfony\Component\RateLimiter {
    interface LimiterInterface
    {
        public function reserve(int $tokens = 1, ?float $maxTime = null): Reservation;

        public function consume(int $tokens = 1): RateLimit;

        public function reset(): void;
    }

    interface LimiterStateInterface
    {
        public function getId(): string;

        public function getExpirationTime(): ?int;
    }

    interface RateLimiterFactoryInterface
    {
        public function create(?string $key = null): LimiterInterface;
    }

    class RateLimit
    {
        public function __construct(int $availableTokens, \DateTimeImmutable $retryAfter, bool $accepted, int $limit) {}
    }

    final class Reservation
    {
        public function __construct(float $timeToAct, RateLimit $rateLimit) {}
    }
}

namespace Symfony\Component\RateLimiter\Exception {
    use Symfony\Component\RateLimiter\RateLimit;

    class MaxWaitDurationExceededException extends \RuntimeException
    {
        public function __construct(string $message, RateLimit $rateLimit) {}
    }
}

namespace Symfony\Component\RateLimiter\Storage {
    use Symfony\Component\RateLimiter\LimiterStateInterface;

    interface StorageInterface
    {
        public function save(LimiterStateInterface $limiterState): void;

        public function fetch(string $limiterStateId): ?LimiterStateInterface;

        public function delete(string $limiterStateId): void;
    }
}

namespace Symfony\Component\Semaphore {
    final class Key
    {
        public function __toString(): string {}

        public function getLimit(): int {}

        public function getWeight(): int {}

        public function hasState(string $stateKey): bool {}

        public function setState(string $stateKey, mixed $state): void {}

        public function removeState(string $stateKey): void {}

        public function getState(string $stateKey): mixed {}
    }

    interface PersistingStoreInterface
    {
        public function save(Key $key, float $ttlInSecond): void;

        public function delete(Key $key): void;

        public function exists(Key $key): bool;

        public function putOffExpiration(Key $key, float $ttlInSecond): void;
    }
}

namespace Symfony\Component\Semaphore\Exception {
    use Symfony\Component\Semaphore\Key;

    class InvalidArgumentException extends \InvalidArgumentException {}

    class SemaphoreAcquiringException extends \RuntimeException
    {
        public function __construct(Key $key, string $message) {}
    }

    class SemaphoreExpiredException extends \RuntimeException
    {
        public function __construct(Key $key, string $message) {}
    }
}
