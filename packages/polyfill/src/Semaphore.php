<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Fault;
use Larder\Polyfill\Permits;
use Larder\Polyfill\Record;
use Larder\Polyfill\Settings;
use Larder\Polyfill\Store;
use Larder\Polyfill\Waits;

/**
 * Gives only a limited number of permits at the same time, among all processes that share the volatile store. VolatileCache::clear() does
 * not release permits.
 */
final class Semaphore
{
    private function __construct() {}

    /**
     * Acquires one of the $permits permits of the semaphore $name (1 to 1024 bytes), or waits up to $wait seconds. All callers must give
     * the same $permits (1 to 1024). A permit ends when release() is called, its object is destroyed, $lease seconds have passed (0: no
     * lease), or the request or the process ends. Callers get permits in about the order of their calls, unless waitWith() is in use.
     *
     * @return Permit|null null if no permit became free in time, if this process has all permits, or if a signal ended the wait
     * @throws StaticCacheException if the store is off, or has no room for the semaphore
     */
    public static function acquire(string $name, int $permits, int|float $lease = 0, int|float $wait = 0): ?Permit
    {
        Fault::most(\func_num_args(), 4);
        self::check($name, $permits);
        $lease = Fault::seconds($lease, 3);
        $wait = Fault::seconds($wait, 4);
        $end = Store::now() + $wait;
        while (($until = Permits::take($name, $permits, $lease)) === null && ($left = $end - Store::now()) > 0) {
            $next = Permits::firstEnd($name) ?? INF;
            // a wait is useless if this process has all permits, no lease ends before $end, and no other fiber runs during the wait
            if (($next > $left && !Waits::lets()) || !Waits::sleep(min($next > 0 ? $next : Store::LAST_PAUSE, $left))) {
                break;
            }
        }
        return $until !== null ? Record::make(Permit::class, ['name' => $name, 'number' => $until]) : null;
    }

    /** Returns the number of taken permits. */
    public static function count(string $name, int $permits): int
    {
        Fault::most(\func_num_args(), 2);
        self::check($name, $permits);
        return Permits::count($name, $permits);
    }

    private static function check(string $name, int $permits): void
    {
        if ($name === '' || \strlen($name) > 1024) {
            throw Fault::argument(\ValueError::class, 1, 'must be between 1 and 1024 bytes long, ' . \strlen($name) . ' given');
        }
        if ($permits < 1 || $permits > 1024) {
            throw Fault::argument(\ValueError::class, 2, 'must be between 1 and 1024');
        }
        if (Settings::reasonOff('volatile') !== null) {
            throw new StaticCacheException('The semaphore cannot be used: the store is off (VolatileCache::info())');
        }
    }
}
