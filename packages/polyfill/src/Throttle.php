<?php

declare(strict_types=1);

namespace Larder;

/**
 * The result of throttle().
 * @strict-properties
 */
final class Throttle
{
    /** True if the units were taken. */
    public readonly bool $allowed;
    /** Units that another call could take now. */
    public readonly int $remaining;
    /** Seconds until a call like this one would be admitted. */
    public readonly float $retryAfter;
    /** Seconds until all units are available again. */
    public readonly float $resetAfter;

    private function __construct() {}
}
