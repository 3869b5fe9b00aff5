<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\Name;
use Larder\Pool;
use Larder\Throttle;
use Larder\VolatileCache;
use Symfony\Component\RateLimiter\Exception\MaxWaitDurationExceededException;
use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\RateLimit;
use Symfony\Component\RateLimiter\Reservation;

/** A rate limiter for Symfony on Pool::throttle(). Its bucket holds $limit tokens, and is refilled evenly with $limit tokens in $per seconds. */
final class LarderLimiter implements LimiterInterface
{
    /** @internal bytes; a longer id is hashed */
    public const ID_MAX = 900;

    private readonly string $id;
    private readonly Pool $pool;

    /**
     * @param string $id names the limit and the client; hashed if it has more than 900 bytes
     * @param int $limit size of the token bucket, which is full at first
     * @param float $per seconds after which all tokens of an exhausted limit are available again
     * @param Pool|null $pool the pool that stores the limits; null: a pool for limits only
     */
    public function __construct(string $id, private readonly int $limit, private readonly float $per, ?Pool $pool = null)
    {
        if ($limit < 1 || !($per > 0)) {
            throw new \InvalidArgumentException(\sprintf('A limit must be at least 1 and its time greater than 0 seconds; got %d and %s.', $limit, $per));
        }
        $this->id = Name::bounded($id, self::ID_MAX);
        $this->pool = $pool ?? VolatileCache::pool('symfony.limits');
    }

    public function reserve(int $tokens = 1, ?float $maxTime = null): Reservation
    {
        $now = microtime(true);
        $answer = $this->throttle($tokens, max(0.0, min($maxTime ?? 1e9, 1e9)));
        $limit = $this->answer($answer, $answer->retryAfter, $answer->allowed && $answer->retryAfter === 0.0, $now);
        if (!$answer->allowed) {
            throw new MaxWaitDurationExceededException(\sprintf('The rate limiter wait time (%.3F seconds) is longer than the provided maximum time (%.3F seconds).', $answer->retryAfter, $maxTime), $limit);
        }
        return new Reservation($now + $answer->retryAfter, $limit);
    }

    public function consume(int $tokens = 1): RateLimit
    {
        $answer = $this->throttle($tokens, 0.0);
        $wait = $answer->retryAfter;
        if ($tokens === 0 && $answer->remaining === 0) { // consume(0) must report when one token will be available
            $wait = max(0.0, $answer->resetAfter - $this->per + $this->per / $this->limit);
        }
        return $this->answer($answer, $wait, $answer->allowed, microtime(true));
    }

    public function reset(): void
    {
        $this->pool->delete($this->id);
    }

    private function throttle(int $tokens, float $wait): Throttle
    {
        if ($tokens > $this->limit) {
            throw new \InvalidArgumentException(\sprintf('Cannot reserve more tokens (%d) than the burst size of the rate limiter (%d).', $tokens, $this->limit));
        }
        return $this->pool->throttle($this->id, $this->limit, $this->per, $tokens, $wait);
    }

    private function answer(Throttle $answer, float $wait, bool $accepted, float $now): RateLimit
    {
        $at = \DateTimeImmutable::createFromFormat('U.u', \sprintf('%.6F', $now + $wait));
        \assert($at !== false);
        return new RateLimit($answer->remaining, $at, $accepted, $this->limit);
    }
}
