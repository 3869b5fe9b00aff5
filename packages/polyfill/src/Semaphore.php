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
 * Limits how many owners there are at a time, among all processes that share the volatile store. Semaphores are no entries: clear()
 * ends no permit.
 */
final class Semaphore
{
    private function __construct() {}

    /**
     * Acquires one of $permits permits of the semaphore $name (1 to 1024 bytes). If all have owners, the call waits up to $wait seconds.
     * All callers that use a name must give the same $permits, 1 to 1024. A permit ends with release(), when its object is destroyed, after
     * $lease seconds (0: no lease), with the request, or with its process. If the owner is killed, its permit is free at once. Waiting
     * callers get permits in turn. After waitWith() they do not, but then other fibers run while a call waits.
     * @return Permit|null null: others have them all, or a signal ended the wait, or this process has them all itself
     * @throws StaticCacheException the store is off, or has no room for the reservation
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
            // only a fiber, the end of a lease or another process can free a permit
            if (($next > $left && !Waits::lets()) || !Waits::sleep(min($next > 0 ? $next : Store::LAST_PAUSE, $left))) {
                break;
            }
        }
        return $until !== null ? Record::make(Permit::class, ['name' => $name, 'number' => $until]) : null;
    }

    /** Returns the number of permits with owners. */
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
