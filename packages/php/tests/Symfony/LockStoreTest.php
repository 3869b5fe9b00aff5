<?php

declare(strict_types=1);

namespace Larder\Tests\Symfony;

use Larder\PinnedCache;
use Larder\Symfony\LarderLockStore;
use Larder\Tests\Processes;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;

/** Tests the contracts of Symfony's lock stores: persisting, expiring, blocking, shared. */
final class LockStoreTest extends TestCase
{
    private LarderLockStore $store;
    private LockFactory $locks;

    protected function setUp(): void
    {
        PinnedCache::clear();
        VolatileCache::clear();
        $this->store = new LarderLockStore();
        $this->locks = new LockFactory($this->store);
    }

    public function testAnyTextIsTheNameOfALock(): void
    {
        foreach (['', "a\0b", str_repeat('k', 1000), str_repeat('k', 1001), str_repeat('k', 70000), str_repeat('k', 70000) . '2'] as $name) {
            $lock = $this->locks->createLock($name);
            $this->assertTrue($lock->acquire());
            $this->assertFalse($this->locks->createLock($name)->acquire());
            $this->assertTrue($this->locks->createLock($name . 'x')->acquire());
            $lock->release();
            $this->assertTrue($this->locks->createLock($name)->acquire());
        }
    }

    public function testSaveExistsDelete(): void
    {
        $a = new Key('resource');
        $b = new Key('resource');
        $this->store->save($a);
        $this->store->save($a);
        $this->assertSame([true, false], [$this->store->exists($a), $this->store->exists($b)]);
        try {
            $this->store->save($b);
            $this->fail();
        } catch (LockConflictedException) {
        }
        $this->store->delete($b);
        $this->assertTrue($this->store->exists($a));
        $this->store->delete($a);
        $this->assertFalse($this->store->exists($a));
        $this->store->save($b);
        $this->assertTrue($this->store->exists($b));
    }

    public function testAKeyGoesToAnotherProcess(): void
    {
        $key = new Key('resource');
        $this->store->save($key);
        $text = serialize($key);
        $answers = Processes::run(1, function () use ($text): array {
            $key = unserialize($text);
            $held = $this->store->exists($key);
            $this->store->delete($key);
            return [$held, $this->store->exists($key)];
        });
        $this->assertSame([[true, false]], $answers);
        $this->assertFalse($this->store->exists($key));
    }

    public function testLocksOutliveTheProcess(): void
    {
        Processes::run(1, function (): bool {
            $lock = $this->locks->createLock('resource', 300, false);
            return $lock->acquire();
        });
        $this->assertFalse($this->locks->createLock('resource')->acquire());
    }

    public function testExpiration(): void
    {
        $key = new Key('resource');
        $this->store->save($key);
        $this->store->putOffExpiration($key, 2);
        $this->assertTrue($key->getRemainingLifetime() <= 2);
        usleep(2100000);
        $this->assertTrue($key->isExpired());
        $this->assertFalse($this->store->exists($key));
        $other = new Key('resource');
        $this->store->save($other);
        try {
            $this->store->putOffExpiration($key, 10);
            $this->fail();
        } catch (LockConflictedException) {
        }
        $this->store->delete($key);
        $this->assertTrue($this->store->exists($other));
        $late = new Key('late');
        $late->reduceLifetime(0.000001);
        usleep(10);
        $this->expectException(LockExpiredException::class);
        $this->store->save($late);
    }

    public function testSharedLocks(): void
    {
        [$a, $b, $c] = [$this->locks->createLock('r'), $this->locks->createLock('r'), $this->locks->createLock('r')];
        $this->assertTrue($a->acquireRead() && $b->acquireRead());
        $this->assertFalse($c->acquire());
        $a->release();
        $this->assertFalse($c->acquire());
        $this->assertTrue($b->acquire()); // a lock that is the only reader may become the writer
        $this->assertFalse($c->acquireRead());
        $this->assertTrue($b->acquireRead() && $c->acquireRead());
    }

    public function testBlockingLocksExcludeEachOther(): void
    {
        $answers = Processes::run(5, function (int $i): int {
            $done = 0;
            for ($n = 0; $n < 40; $n++) {
                $lock = $this->locks->createLock('r');
                $lock->acquire(true);
                $count = VolatileCache::get('count', 0);
                usleep(random_int(0, 200));
                VolatileCache::set('count', $count + 1);
                $lock->release();
                $read = $this->locks->createLock('r');
                $done += (int) $read->acquireRead(true);
                $read->release();
            }
            return $done;
        });
        $this->assertSame(array_fill(0, 5, 40), $answers);
        $this->assertSame(200, VolatileCache::get('count'));
    }

    public function testAWaitingProcessGetsTheLockOfAKilledOneWhenItEnds(): void
    {
        $pid = pcntl_fork();
        if ($pid === 0) {
            $this->locks->createLock('r', 3, false)->acquire();
            VolatileCache::set('held', true);
            sleep(60);
            exit;
        }
        while (!VolatileCache::has('held')) {
            usleep(1000);
        }
        posix_kill($pid, SIGKILL);
        pcntl_waitpid($pid, $status);
        $this->assertTrue($this->locks->createLock('r')->acquire(true));
    }

    public function testWaitingMayTakeLongerThanALockLives(): void
    {
        $store = new LarderLockStore(null, 0.3);
        $locks = new LockFactory($store);
        foreach (['acquire', 'acquireRead'] as $how) {
            $holder = new Key('r');
            (new LarderLockStore())->save($holder);
            $pid = pcntl_fork();
            if ($pid === 0) {
                usleep(1000000);
                (new LarderLockStore())->delete($holder);
                posix_kill((int) getmypid(), SIGKILL);
            }
            $lock = $locks->createLock('r', 60);
            $this->assertTrue($lock->$how(true));
            pcntl_waitpid($pid, $status);
            $lock->release();
        }
        $this->expectException(\Symfony\Component\Lock\Exception\InvalidTtlException::class);
        new LarderLockStore(null, -1.0);
    }

    public function testTimesThatMakeNoSense(): void
    {
        try {
            new LarderLockStore(null, 0.0);
            $this->fail();
        } catch (\Symfony\Component\Lock\Exception\InvalidArgumentException) {
        }
        $this->expectException(\Symfony\Component\Lock\Exception\InvalidTtlException::class);
        $this->store->putOffExpiration(new Key('r'), -1);
    }
}
