<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Makes a key of a name of any length.
 *
 * @internal
 */
final class Name
{
    /** Returns the name or, if it is empty or has more than $max bytes, a name made of its hash. */
    public static function bounded(string $name, int $max): string
    {
        return $name !== '' && \strlen($name) <= $max ? $name : 'sha256:' . hash('sha256', $name);
    }
}
