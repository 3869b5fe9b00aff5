<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Store;
use Larder\Polyfill\Waits;

/**
 * Calls $callback and returns what it returns. There is nothing to let go of: values are memory of PHP's own.
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
 * Ends one of many requests in a worker: unlocks every key that is still locked, and returns their number. There is nothing else to let
 * go of.
 */
function endRequest(): int
{
    return Store::endLocks();
}

/**
 * Begins one of many requests in a worker. Static state is this process's own.
 */
function beginRequest(): void {}

/**
 * Lets waits call $wait(float $seconds) instead of sleeping, so that an event loop goes on; null ends that. Where it returns false, the
 * wait sleeps.
 *
 * @param (callable(float): mixed)|null $wait
 */
function waitWith(?callable $wait): void
{
    Waits::with($wait === null ? null : $wait(...));
}
