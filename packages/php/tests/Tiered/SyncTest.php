<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\Tiered\Sync;
use Larder\Cache\Tiered\Tier;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests a larder-sync that is stopped while it vouches for its host's copies. */
final class SyncTest extends TestCase
{
    /** @return iterable<string, array{bool}> */
    public static function steps(): iterable
    {
        yield 'prolong' => [true];
        yield 'begin' => [false];
    }

    public static function setUpBeforeClass(): void
    {
        \function_exists('Larder\Cache\Tiered\hrtime') || eval('namespace Larder\Cache\Tiered; function hrtime(bool $number): int { return \Larder\Tests\Tiered\SyncTest::stoppedAfter(\hrtime($number)); }');
    }

    private static float $bound = 0.1;
    private static int $reads = 0;
    private static int $stop = 0;

    /** Called after each read of the clock. After read number $stop, sleeps for a part of the bound, like a stopped process. */
    public static function stoppedAfter(int $time): int
    {
        ++self::$reads === self::$stop && usleep((int) (0.6e6 * self::$bound));
        return $time;
    }

    #[DataProvider('steps')]
    public function testItVouchesNoLongerAfterAStop(bool $vouching): void
    {
        /* On a busy machine, larder-sync may be late in all runs, and then vouches in none. So try again with a longer bound. */
        for (self::$bound = 0.1, $vouched = 0; $vouched === 0 && self::$bound < 10; self::$bound *= 2) {
            $vouched = $this->vouchesAfterStops($vouching);
        }
        $this->assertGreaterThan(0, $vouched);
    }

    /**
     * Calls vouch() of larder-sync in several runs. In run number n, larder-sync is stopped after it has read the clock n times. Returns the
     * number of runs in which larder-sync still vouched for its copies.
     */
    private function vouchesAfterStops(bool $vouching): int
    {
        $pool = Tier::pool('stopped', 's:');
        $vouched = 0;
        for ($stop = self::$reads = 1; $stop <= self::$reads; $stop++) {
            $sync = new Sync('tcp://127.0.0.1:1', 'stopped', 's:', self::$bound);
            $until = (function () use ($vouching): float {
                $this->until = ($this->sent = $this->before = self::now()) + $this->bound;
                $vouching ? $this->begin() : $this->pool->begin(10);
                return $this->until;
            })->call($sync);
            self::$reads = 0;
            self::$stop = $stop;
            (fn() => $this->vouch())->call($sync);
            self::$stop = 0;
            $vouched += (int) ($pool->get(Tier::UP) === 1);
            usleep((int) (1e6 * max(0.0, $until + 0.01 - hrtime(true) / 1e9)));
            $this->assertNull($pool->get(Tier::UP), "stopped after it has read the clock for the time $stop");
        }
        $this->assertGreaterThan(2, $stop);
        return $vouched;
    }
}
