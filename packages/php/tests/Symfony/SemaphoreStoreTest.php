<?php

declare(strict_types=1);

namespace Larder\Tests\Symfony;

use Larder\Semaphore;
use Larder\Symfony\LarderSemaphoreStore;
use Larder\Tests\Processes;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Semaphore\Exception\InvalidArgumentException;
use Symfony\Component\Semaphore\Exception\SemaphoreAcquiringException;
use Symfony\Component\Semaphore\Exception\SemaphoreExpiredException;
use Symfony\Component\Semaphore\Key;
use Symfony\Component\Semaphore\PersistingStoreInterface;
use Symfony\Component\Semaphore\SemaphoreFactory;

/** Tests the contract of Symfony's semaphore stores. */
final class SemaphoreStoreTest extends TestCase
{
    private LarderSemaphoreStore $store;

    protected function setUp(): void
    {
        interface_exists(PersistingStoreInterface::class) || self::markTestSkipped('symfony/semaphore is not installed');
        $this->store = new LarderSemaphoreStore();
    }

    /** @param array<Key> $keys */
    private function held(array $keys): string
    {
        return implode('', array_map(fn(Key $key): string => $this->store->exists($key) ? '1' : '0', $keys));
    }

    private function refused(Key $key): bool
    {
        try {
            $this->store->save($key, 60);
            return false;
        } catch (SemaphoreAcquiringException) {
            return true;
        }
    }

    public function testAsManyAsTheLimit(): void
    {
        $keys = [new Key('limit', 2), new Key('limit', 2), new Key('limit', 2), new Key('other', 2)];
        $this->assertSame('0000', $this->held($keys));
        $this->store->save($keys[0], 60);
        $this->store->save($keys[0], 60);
        $this->assertSame('1000', $this->held($keys));
        $this->store->save($keys[1], 60);
        $this->assertTrue($this->refused($keys[2]));
        $this->assertSame('1100', $this->held($keys));
        $this->store->delete($keys[0]);
        $this->assertFalse($this->refused($keys[2]));
        $this->assertSame('0110', $this->held($keys));
        $this->assertFalse($this->refused($keys[3]));
    }

    public function testWeights(): void
    {
        $keys = [new Key('weights', 4, 2), new Key('weights', 4, 3), new Key('weights', 4, 2)];
        $this->store->save($keys[0], 60);
        $this->assertTrue($this->refused($keys[1]));
        $this->assertFalse($this->refused($keys[2])); // the refused call has kept no permit
        $this->store->delete($keys[0]);
        $this->store->delete($keys[2]);
        $this->assertFalse($this->refused($keys[1]));
    }

    /** The permits of one key may end at different times. exists() must return false as soon as the first permit has ended. */
    public function testItEndsWithItsFirstPermit(): void
    {
        foreach ([60.0, 0.3] as $ttl) {
            $key = new Key('many', 1024, 1000);
            $this->store->save($key, $ttl);
            if ($ttl > 1) {
                $this->store->putOffExpiration($key, 0.3);
            }
            do {
                $count = Semaphore::count('symfony:many', 1024);
                $exists = $this->store->exists($key);
                $this->assertTrue($count === 1000 || !$exists, "it has $count permits");
            } while ($exists);
            $this->store->delete($key);
        }
    }

    public function testTimeToLive(): void
    {
        $key = new Key('ttl', 1);
        $this->store->save($key, 60);
        $this->store->putOffExpiration($key, 0.02);
        usleep(100000);
        $this->assertFalse($this->store->exists($key));
        $this->assertFalse($this->refused(new Key('ttl', 1)));
        $this->expectException(SemaphoreExpiredException::class);
        $this->store->putOffExpiration($key, 60);
    }

    public function testItIsPutOff(): void
    {
        $key = new Key('put off', 4, 2);
        for ($ttl = 0.2, $done = false; !$done && $ttl < 100; $ttl *= 2) {
            $this->store->save($key, $ttl);
            try {
                $this->store->putOffExpiration($key, 600);
                $done = true;
            } catch (SemaphoreExpiredException) { // the permit expired too early: try again with a longer time
            }
            usleep((int) ($ttl * 1.5e6));
        }
        $this->assertTrue($this->store->exists($key));
        $this->assertTrue($this->refused(new Key('put off', 4, 3)));
        $this->expectException(SemaphoreExpiredException::class);
        $this->store->putOffExpiration(new Key('put off', 4, 2), 20);
    }

    public function testArguments(): void
    {
        foreach (['', str_repeat('k', 70000)] as $name) {
            $this->assertFalse($this->refused(new Key($name, 1)));
        }
        $this->expectException(InvalidArgumentException::class);
        $this->store->save(new Key('a', 1), -1);
    }

    public function testSemaphoresOfTheFactory(): void
    {
        $factory = new SemaphoreFactory($this->store);
        $semaphore = $factory->createSemaphore('factory', 1);
        $this->assertTrue($semaphore->acquire());
        $this->assertFalse($factory->createSemaphore('factory', 1)->acquire());
        $semaphore->refresh();
        $semaphore->release();
        $another = $factory->createSemaphore('factory', 1);
        $this->assertTrue($another->acquire());
        unset($another);
        $this->assertTrue($semaphore->acquire());
    }

    public function testNoMoreOwnersThanPermitsAmongProcesses(): void
    {
        VolatileCache::set('owners', 0);
        $answers = Processes::run(4, function (): array {
            $most = $got = 0;
            for ($i = 0; $i < 300; $i++) {
                $key = new Key('processes', 2);
                if ($this->refused($key)) {
                    usleep(100);
                    continue;
                }
                $most = max($most, VolatileCache::increment('owners'));
                $got++;
                VolatileCache::decrement('owners');
                $this->store->delete($key);
            }
            return [$most, $got];
        });
        $this->assertLessThanOrEqual(2, max(array_column($answers, 0)));
        $this->assertGreaterThan(0, array_sum(array_column($answers, 1)));
    }

    public function testAKilledOwnersPermitIsFree(): void
    {
        // The child takes the permit, and kills itself.
        $this->assertSame([false], Processes::run(1, fn(): bool => $this->refused(new Key('killed', 1))));
        $this->assertFalse($this->refused(new Key('killed', 1)));
    }
}
