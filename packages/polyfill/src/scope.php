<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Fault;
use Larder\Polyfill\Store;
use Larder\Polyfill\Waits;

/**
 * Calls $callback, and returns its result. The polyfill need not release fetched values, which are in PHP's own memory.
 *
 * @template T
 * @param callable(): T $callback
 * @return T
 */
function scope(callable $callback): mixed
{
    Fault::most(\func_num_args(), 1);
    return $callback();
}

/** Call this after each request of a worker. Unlocks all keys that are still locked, and returns their number. */
function endRequest(): int
{
    Fault::most(\func_num_args(), 0);
    return Store::endLocks();
}

/** Call this before each request of a worker. Has no effect in the polyfill. */
function beginRequest(): void
{
    Fault::most(\func_num_args(), 0);
}

/**
 * Makes all later waits of Larder call $wait(float $seconds) instead of sleeping. If $wait is null or returns false, Larder sleeps.
 *
 * @param (callable(float): mixed)|null $wait
 */
function waitWith(?callable $wait): void
{
    Fault::most(\func_num_args(), 1);
    Waits::with($wait === null ? null : $wait(...));
}
