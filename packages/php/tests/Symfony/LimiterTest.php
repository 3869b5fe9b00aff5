<?php

declare(strict_types=1);

namespace Larder\Tests\Symfony;

use Larder\Symfony\LarderLimiter;
use Larder\Symfony\LarderLimiterFactory;
use Larder\Symfony\LarderLimiterStorage;
use Larder\Symfony\LarderLockStore;
use Larder\Tests\Processes;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\RateLimiter\CompoundLimiter;
use Symfony\Component\RateLimiter\Exception\MaxWaitDurationExceededException;
use Symfony\Component\RateLimiter\Exception\RateLimitExceededException;
use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\Policy\Window;
use Symfony\Component\RateLimiter\RateLimiterFactory;

/** Tests LarderLimiter as a limiter of Symfony, and Symfony's own limiters with LarderLimiterStorage. */
final class LimiterTest extends TestCase
{
    private const DAY = 86400.0;

    protected function setUp(): void
    {
        interface_exists(LimiterInterface::class) || self::markTestSkipped('symfony/rate-limiter is not installed');
        VolatileCache::clear();
    }

    public function testConsume(): void
    {
        $limiter = new LarderLimiter('a', 10, self::DAY);
        $limit = $limiter->consume(4);
        $this->assertSame([true, 6, 10], [$limit->isAccepted(), $limit->getRemainingTokens(), $limit->getLimit()]);
        $this->assertEqualsWithDelta(time(), $limit->getRetryAfter()->getTimestamp(), 600);
        $limit = $limiter->consume(7);
        $this->assertSame([false, 6], [$limit->isAccepted(), $limit->getRemainingTokens()]);
        $this->assertEqualsWithDelta(time() + self::DAY / 10, $limit->getRetryAfter()->getTimestamp(), 600);
        $this->assertTrue($limiter->consume(6)->isAccepted());
        $limit = $limiter->consume(0);
        $this->assertSame([true, 0], [$limit->isAccepted(), $limit->getRemainingTokens()]);
        $this->assertEqualsWithDelta(time() + self::DAY / 10, $limit->getRetryAfter()->getTimestamp(), 600);
        $limiter->reset();
        $this->assertSame(9, $limiter->consume()->getRemainingTokens());
        $this->expectException(RateLimitExceededException::class);
        $limiter->consume(10)->ensureAccepted();
    }

    public function testReserve(): void
    {
        $limiter = new LarderLimiter('a', 10, self::DAY);
        $this->assertSame(0.0, (float) $limiter->reserve(10)->getWaitDuration());
        $reservation = $limiter->reserve(5);
        $this->assertEqualsWithDelta(self::DAY / 2, $reservation->getWaitDuration(), 600);
        $this->assertFalse($reservation->getRateLimit()->isAccepted());
        $this->assertEqualsWithDelta(self::DAY * 0.6, $limiter->reserve(1, self::DAY)->getWaitDuration(), 600);
        $this->expectException(MaxWaitDurationExceededException::class);
        $limiter->reserve(5, self::DAY / 2);
    }

    public function testMoreTokensThanThereEverAre(): void
    {
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage('Cannot reserve more tokens (15) than the burst size of the rate limiter (10).');
        (new LarderLimiter('a', 10, self::DAY))->reserve(15);
    }

    public function testLimitsThatCannotBe(): void
    {
        foreach ([[0, 1.0], [1, 0.0], [1, NAN]] as [$limit, $per]) {
            try {
                new LarderLimiter('a', $limit, $per);
                $this->fail();
            } catch (\InvalidArgumentException $e) {
                $this->assertStringContainsString('at least 1', $e->getMessage());
            }
        }
    }

    public function testTheFactoryMakesOneLimiterForEachKey(): void
    {
        $factory = new LarderLimiterFactory('login', 2, self::DAY);
        $this->assertSame([1, 0, 0], array_map(static fn() => $factory->create('ada')->consume()->getRemainingTokens(), [1, 2, 3]));
        $this->assertSame(1, $factory->create('bob')->consume()->getRemainingTokens());
        $this->assertSame(1, $factory->create()->consume()->getRemainingTokens());
        $this->assertSame(1, $factory->create(str_repeat('k', 70000))->consume()->getRemainingTokens());
        $both = new CompoundLimiter([(new LarderLimiterFactory('all', 1, self::DAY))->create(), $factory->create('x')]);
        $this->assertSame([true, false], [$both->consume()->isAccepted(), $both->consume()->isAccepted()]);
    }

    /** @return array<int> the numbers of calls that the limiter accepted, one number for each of four processes */
    private function admitted(LimiterInterface $limiter): array
    {
        return Processes::run(4, static function () use ($limiter): int {
            $admitted = 0;
            for ($i = 0; $i < 100; $i++) {
                $admitted += (int) $limiter->consume()->isAccepted();
            }
            return $admitted;
        });
    }

    public function testOfAllProcessesExactlyTheLimitIsAdmitted(): void
    {
        $this->assertSame(150, array_sum($this->admitted(new LarderLimiter('all', 150, 365 * self::DAY))));
    }

    public function testSymfonysPoliciesOnTheStorage(): void
    {
        $locks = new LockFactory(new LarderLockStore());
        foreach (['token_bucket', 'fixed_window', 'sliding_window'] as $policy) {
            $config = ['id' => $policy, 'policy' => $policy, 'limit' => 150, 'interval' => '1 year', 'rate' => ['interval' => '1 year', 'amount' => 1]];
            $limiter = (new RateLimiterFactory($config, new LarderLimiterStorage(), $locks))->create('user');
            $this->assertSame(150, array_sum($this->admitted($limiter)), $policy);
            $limiter->reset();
            $this->assertTrue($limiter->consume(150)->isAccepted(), $policy);
        }
    }

    public function testTheStorage(): void
    {
        $storage = new LarderLimiterStorage();
        foreach (['a', '', str_repeat('k', 70000)] as $id) {
            $this->assertNull($storage->fetch($id));
            $window = new Window($id, 600, 5);
            $window->add();
            $storage->save($window);
            $found = $storage->fetch($id);
            $this->assertInstanceOf(Window::class, $found);
            $this->assertSame([$id, 1], [$found->getId(), $found->getHitCount()]);
            $storage->delete($id);
            $this->assertNull($storage->fetch($id));
        }
    }
}
