<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * Times to live.
 *
 * @internal
 */
final class Ttl
{
    /** Returns the number of seconds in $ttl. Counts an interval from now, because months differ in length. */
    public static function seconds(int|\DateInterval $ttl): int|float
    {
        if (\is_int($ttl)) {
            return $ttl;
        }
        $now = new \DateTimeImmutable();
        return (float) $now->add($ttl)->format('U.u') - (float) $now->format('U.u');
    }
}
