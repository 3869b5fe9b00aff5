<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Turns a name of any length into a key.
 *
 * @internal
 */
final class Name
{
    /** Returns the name, or a name made of its hash if it is empty or has more than $max bytes. */
    public static function bounded(string $name, int $max): string
    {
        return $name !== '' && \strlen($name) <= $max ? $name : 'sha256:' . hash('sha256', $name);
    }
}
