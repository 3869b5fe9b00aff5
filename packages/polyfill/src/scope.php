<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Store;
use Larder\Polyfill\Waits;

/**
 * Calls $callback and returns its result. Here no values need to be released, because they lie in PHP's own memory.
 *
 * @template T
 * @param callable(): T $callback
 * @return T
 */
function scope(callable $callback): mixed
{
    return $callback();
}

/**
 * Ends one of many requests in a worker: unlocks every key that is still locked, and returns their number. Values need not be
 * released.
 */
function endRequest(): int
{
    return Store::endLocks();
}

/**
 * Begins one of many requests in a worker. Here static state belongs to this process.
 */
function beginRequest(): void {}

/**
 * Makes waits call $wait(float $seconds) instead of sleeping, so that an event loop goes on; null ends that. If $wait returns false, the
 * wait sleeps.
 *
 * @param (callable(float): mixed)|null $wait
 */
function waitWith(?callable $wait): void
{
    Waits::with($wait === null ? null : $wait(...));
}
