<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

use Larder\Cache\Exception\LocksUnusable;
use Larder\Cache\Locks;
use Larder\Cache\MemoryStore;
use Larder\Cache\PinnedStore;
use Larder\PinnedCache;

use function Larder\scope;

use Larder\Tests\Processes;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;

final class LocksTest extends TestCase
{
    private float $now = 1000;

    protected function setUp(): void
    {
        PinnedCache::clear();
        VolatileCache::clear();
    }

    /** @return list<Locks> */
    private function both(): array
    {
        $clock = fn(): float => $this->now;
        return [new Locks(new MemoryStore(), $clock), new Locks(new PinnedStore('locks test'), $clock)];
    }

    public function testOneOwnerAtATime(): void
    {
        foreach ($this->both() as $locks) {
            $this->assertTrue($locks->acquire('l', '1', 10) && $locks->acquire('l', '1', 10));
            $this->assertFalse($locks->acquire('l', '2', 10) || $locks->share('l', '2', 10) || $locks->release('l', '2') || $locks->prolong('l', '2', 5));
            $this->assertSame(['1'], $locks->owners('l'));
            $this->assertTrue($locks->release('l', '1') && $locks->acquire('l', '2', null));
            $this->now += 1e9;
            $this->assertFalse($locks->acquire('l', '1', 10));
            $this->assertTrue($locks->break('l') && $locks->acquire('l', '1', 10) && $locks->release('l', '1'));
            $this->assertFalse($locks->release('l', '1'));
        }
    }

    public function testSharedOwners(): void
    {
        foreach ($this->both() as $locks) {
            $this->assertTrue($locks->share('l', 'a', 10) && $locks->share('l', 'b', 20));
            $this->assertFalse($locks->acquire('l', 'a', 10) || $locks->acquire('l', 'c', 10));
            $this->now += 15;
            $this->assertSame(['b'], $locks->owners('l'));
            $this->assertTrue($locks->acquire('l', 'b', 10));
            $this->assertFalse($locks->share('l', 'a', 10));
            $this->assertTrue($locks->share('l', 'b', 10) && $locks->share('l', 'a', 10));
            $locks->break('l');
        }
    }

    public function testALockEnds(): void
    {
        foreach ($this->both() as $locks) {
            $locks->acquire('l', 'a', 10);
            $this->now += 9;
            $this->assertTrue($locks->prolong('l', 'a', 10));
            $this->now += 9;
            $this->assertFalse($locks->acquire('l', 'b', 10));
            $this->now += 2;
            $this->assertFalse($locks->prolong('l', 'a', 10));
            $this->assertTrue($locks->acquire('l', 'b', 10));
            $this->assertFalse($locks->release('l', 'a'));
            $locks->break('l');
        }
    }

    /** All processes must measure the time of locks with the monotonic clock, because the wall clock may be set. */
    public function testTheWallClockIsNotAsked(): void
    {
        $lock = (new \ReflectionProperty(Locks::class, 'clock'))->getValue(new Locks(new PinnedStore('locks test')));
        $from = hrtime(true) / 1e9;
        $now = $lock();
        $this->assertTrue($from <= $now && $now <= hrtime(true) / 1e9);
        $this->assertTrue((new Locks(new PinnedStore('locks test')))->acquire('l', 'a', 60));
        $this->assertSame([[false, ['a']]], Processes::run(1, static function (): array {
            $locks = new Locks(new PinnedStore('locks test'));
            return [$locks->acquire('l', 'b', 60), $locks->owners('l')];
        }));
    }

    public function testALockThatNobodyElseSeesIsRefused(): void
    {
        PinnedStore::isFamily(false);
        $locks = new Locks(new PinnedStore('locks test'));
        try {
            foreach ([fn() => $locks->acquire('l', 'a', 5), fn() => $locks->share('l', 'a', 5)] as $take) {
                try {
                    $take();
                    $this->fail();
                } catch (LocksUnusable $error) {
                    $this->assertStringContainsString('Write "larder.scope = NAME" into php.ini', $error->getMessage());
                }
            }
        } finally {
            PinnedStore::isFamily();
        }
        $this->assertTrue($locks->acquire('l', 'a', 5));
    }

    /** Makes 500 locks that end after a second, and fills the store. */
    private function locksInAFullStore(): Locks
    {
        $locks = new Locks(new PinnedStore('locks test'), fn(): float => $this->now);
        $filler = new PinnedStore('the filler');
        for ($i = 0; $i < 500; $i++) {
            $locks->acquire(sprintf('ends %05d', $i), 'the owner', 1);
        }
        for ($size = 8 << 20; $size >= 16; $size >>= 1) {
            for ($i = 0; $filler->set("$size.$i", str_repeat('f', $size)); $i++);
        }
        // Let scope() release the memory of fetched values now. Otherwise the scope() of the first sweep would make room, even if the sweep
        // removed no locks.
        scope(static fn(): array => $locks->owners('ends 00000'));
        // Fill each part of the store: stop only after 2,000 failed writes in a row.
        for ($i = 0, $failed = 0; $failed < 2000; $i++) {
            $failed = $filler->set(sprintf('held %05d', $i), ['othe owner' => [1e9, true]]) ? 0 : $failed + 1;
        }
        return $locks;
    }

    public function testLocksThatEndedMakeRoomInAFullStore(): void
    {
        $locks = $this->locksInAFullStore();
        [$reads, $refused] = [PinnedCache::info()->hits, []];
        for ($i = 0; $i < 40; $i++) {
            try {
                $locks->acquire(sprintf('late %05d', $i), 'the owner', 1);
            } catch (LocksUnusable $error) {
                $refused[] = $error->getMessage();
            }
        }
        $this->assertGreaterThan(20, count($refused)); // a few locks may find room in some part of the store
        $this->assertSame(['The pinned store has no room for a lock, or is busy; if that lasts, raise larder.pinned_size.'], array_values(array_unique($refused)));
        $this->assertLessThan(500 * count($refused) / 2, PinnedCache::info()->hits - $reads, 'not each looks at all locks');
        $this->now += 2;
        $end = hrtime(true) + 60e9;
        do { // after a long sweep, the next one begins only after a pause
            usleep(500000);
            for ($i = 0, $taken = 0; $i < 50; $i++) {
                try {
                    $taken += (int) $locks->acquire(sprintf('more %05d', $i), 'the owner', 10);
                } catch (LocksUnusable) {
                }
            }
        } while ($taken <= 10 && hrtime(true) < $end);
        $this->assertGreaterThan(10, $taken);
    }

    /** After a long sweep, a pause must pass before the next sweep. But if a lock has ended meanwhile, the next sweep may begin at once. */
    public function testALockThatHasEndedSinceTheLastSweepMakesRoom(): void
    {
        $locks = $this->locksInAFullStore();
        $take = function (string $name) use ($locks): int {
            for ($i = 0, $taken = 0; $i < 50; $i++) {
                try {
                    $taken += (int) $locks->acquire(sprintf('%s %05d', $name, $i), 'the owner', 10);
                } catch (LocksUnusable) {
                }
            }
            return $taken;
        };
        $before = $take('befo');
        $property = new \ReflectionProperty($locks, 'sweepAt');
        $this->assertGreaterThan(0, $property->getValue($locks));
        $property->setValue($locks, microtime(true) + 1000);
        $this->now += 0.5;
        $this->assertLessThan(30, $before + $take('soon'));
        $this->now += 1;
        $this->assertGreaterThan(10, $take('then'));
    }

    public function testManyProcessesExcludeEachOther(): void
    {
        $locks = new Locks(new PinnedStore('locks test'));
        $done = Processes::run(6, function (int $i) use ($locks): int {
            $inside = 0;
            for ($n = 0; $n < 200; $n++) {
                while (!$locks->acquire('l', "p$i", 60)) {
                    usleep(50);
                }
                $count = VolatileCache::get('count', 0);
                usleep(random_int(0, 20));
                VolatileCache::set('count', $count + 1);
                $inside += (int) $locks->release('l', "p$i");
            }
            return $inside;
        });
        $this->assertSame(array_fill(0, 6, 200), $done);
        $this->assertSame(1200, VolatileCache::get('count'));
    }

    public function testAKilledProcessBlocksNobodyLongerThanItsLock(): void
    {
        $locks = new Locks(new PinnedStore('locks test'));
        for ($round = 0; $round < 50; $round++) {
            $pid = pcntl_fork();
            if ($pid === 0) {
                for (;;) {
                    $locks->acquire('l', 'child', 0.001);
                    $locks->release('l', 'child');
                }
            }
            usleep(random_int(100, 5000));
            posix_kill($pid, SIGKILL);
            pcntl_waitpid($pid, $status);
            for ($end = microtime(true) + 30; !($taken = $locks->acquire('l', 'parent', 60)) && microtime(true) < $end;) {
                usleep(100);
            }
            $this->assertTrue($taken);
            $this->assertSame(['parent'], $locks->owners('l'));
            $locks->release('l', 'parent');
        }
    }
}
