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
    /** Returns the name if it has 1 to $max bytes, or a name made of its hash. */
    public static function bounded(string $name, int $max): string
    {
        return $name !== '' && \strlen($name) <= $max ? $name : 'sha256:' . hash('sha256', $name);
    }
}
