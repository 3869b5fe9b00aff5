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
    /** Returns the name if it has 1 to $max bytes. Otherwise, returns a name that is made of the hash of this name. */
    public static function bounded(string $name, int $max): string
    {
        return $name !== '' && \strlen($name) <= $max ? $name : 'sha256:' . hash('sha256', $name);
    }
}
