<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Cache\Key;
use Larder\Pool;
use Larder\VolatileCache;

/**
 * What stores and larder-sync of one tier have in common on a host.
 *
 * @internal
 */
final class Tier
{
    /** A key of the local pool, of value 1, that is there while somebody vouches for the pool. */
    public const UP = "\0up";
    /** What the leader has locked. */
    public const LEADER = "\0leader";

    /** What is kept here. A larder-sync vouches for keys that it hears of: one of another prefix for another pool. */
    public static function pool(string $name, string $prefix): Pool
    {
        \extension_loaded('larder') || throw new ExtensionMissing();
        return self::named("tier $name ($prefix)");
    }

    /** Which of the server's locks processes of this host have: these have reserved their keys in it. */
    public static function locks(string $name, string $prefix): Pool
    {
        return self::named("tier locks $name ($prefix)");
    }

    /** What the tokens of this host's locks begin with: who shares the pool of locks has the same. '': there is no room for it. */
    public static function host(Pool $locks): string
    {
        $host = $locks->get("\0host");
        if (!\is_string($host)) {
            $locks->add("\0host", bin2hex(random_bytes(8)) . '.');
            $host = $locks->get("\0host");
        }
        return \is_string($host) ? $host : '';
    }

    private static function named(string $pool): Pool
    {
        return VolatileCache::pool(\strlen($pool) <= 255 ? $pool : 'tier ' . hash('sha256', $pool));
    }

    /** The pool where the leader says how it is. */
    public static function report(string $name): Pool
    {
        \extension_loaded('larder') || throw new ExtensionMissing();
        return VolatileCache::pool("tier report $name");
    }

    /**
     * What the leader said last, as long as that may be so: "dead" instead of "leading" where nobody has its lock any more.
     *
     * @return array<mixed>|null
     */
    public static function status(string $name): ?array
    {
        $report = self::report($name)->get('report');
        if (!\is_array($report)) {
            return null;
        }
        $pool = self::pool($name, \is_string($report['prefix'] ?? null) ? $report['prefix'] : '');
        if (($report['state'] ?? '') === 'leading' && $pool->lock(self::LEADER)) {
            $pool->unlock(self::LEADER);
            $report['state'] = 'dead';
        }
        return $report;
    }

    /** Whether an entry may have this key: the pool's longest is not much longer, and what begins with a zero byte is the tier's own. */
    public static function takes(string $key): bool
    {
        return $key !== '' && $key[0] !== "\0" && \strlen($key) <= Key::MAX;
    }
}
