<?php

declare(strict_types=1);

namespace Larder;

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
 * Ends one of many requests in a worker. There is nothing to let go of, and locks are this process's own.
 */
function endRequest(): int
{
    return 0;
}
