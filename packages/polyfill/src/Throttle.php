<?php

declare(strict_types=1);

namespace Larder;

/**
 * The result of throttle().
 * @strict-properties
 */
final class Throttle
{
    /** The units were taken. */
    public readonly bool $allowed;
    /** Units that another call could take now. */
    public readonly int $remaining;
    /** Seconds until the same call would be admitted; 0: now. */
    public readonly float $retryAfter;
    /** Seconds until the limit is unused again. */
    public readonly float $resetAfter;

    private function __construct() {}
}
