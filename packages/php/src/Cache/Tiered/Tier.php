<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Cache\Key;
use Larder\Pool;
use Larder\VolatileCache;

/**
 * The names that the TieredStores and the larder-sync of a tier share on one host.
 *
 * @internal
 */
final class Tier
{
    /** A key of the local pool. Its value is 1 while a larder-sync promises that the copies are not out of date. */
    public const UP = "\0up";
    /** The lock of the leader. */
    public const LEADER = "\0leader";

    /** Returns the pool of this host's copies. Each prefix has its own pool, because a larder-sync vouches only for one prefix. */
    public static function pool(string $name, string $prefix): Pool
    {
        \extension_loaded('larder') || throw new ExtensionMissing();
        return self::named("tier $name ($prefix)");
    }

    /** Returns the pool that records which keys this host's processes have locked on the server. */
    public static function locks(string $name, string $prefix): Pool
    {
        return self::named("tier locks $name ($prefix)");
    }

    /** Returns the prefix of this host's lock tokens, or '' if the pool has no room for it. */
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

    /** Returns the pool that contains the leader's report. */
    public static function report(string $name): Pool
    {
        \extension_loaded('larder') || throw new ExtensionMissing();
        return VolatileCache::pool("tier report $name");
    }

    /**
     * Returns the leader's last report. Its state is "dead" if no process has the leader's lock.
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

    /** Returns true if an entry may have this key. Keys that begin with a zero byte are the tier's own. */
    public static function takes(string $key): bool
    {
        return $key !== '' && $key[0] !== "\0" && \strlen($key) <= Key::MAX;
    }
}
