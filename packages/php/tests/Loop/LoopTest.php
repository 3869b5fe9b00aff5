<?php

declare(strict_types=1);

namespace Larder\Tests\Loop;

use function Amp\async;

use Amp\DeferredFuture;

use function Amp\delay;
use function Amp\Future\await;

use Larder\Loop\React;
use Larder\Loop\Revolt;
use Larder\Queue;
use Larder\Semaphore;
use Larder\VolatileCache;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use React\EventLoop\Loop;
use Revolt\EventLoop;

/** Tests calls of Larder that wait in event loops. While a call waits, the loop's timers and other fibers must run. */
final class LoopTest extends TestCase
{
    private const TICKS = 20;

    /** @var list<int> children */
    private array $children = [];
    private string $name;

    protected function setUp(): void
    {
        $this->name = bin2hex(random_bytes(8));
    }

    protected function tearDown(): void
    {
        \Larder\waitWith(null);
        foreach ($this->children as $child) {
            pcntl_waitpid($child, $status);
        }
    }

    /** @param \Closure(): mixed $run */
    private function child(\Closure $run): void
    {
        $pid = pcntl_fork();
        if ($pid === 0) {
            ob_start();
            $run();
            posix_kill((int) getmypid(), \SIGKILL);
        }
        $this->children[] = $pid;
    }

    /** Starts a process whose computation lasts until the test's timer has run TICKS times. */
    private function computesMeanwhile(): void
    {
        VolatileCache::increment("$this->name ticks", 0);
        $this->child(fn() => VolatileCache::remember($this->name, function (): string {
            VolatileCache::set("$this->name computes", true);
            for ($end = hrtime(true) + 9e9; VolatileCache::get("$this->name ticks") < self::TICKS && hrtime(true) < $end;) {
                usleep(500);
            }
            return VolatileCache::get("$this->name ticks") < self::TICKS ? 'the timer stood still' : 'of the other process';
        }));
        while (VolatileCache::get("$this->name computes") !== true) {
            usleep(500);
        }
    }

    private function tick(): void
    {
        VolatileCache::increment("$this->name ticks");
    }

    private function remembered(): mixed
    {
        return VolatileCache::remember($this->name, static fn() => 'computed here');
    }

    public function testTimersOfRevoltGoOn(): void
    {
        Revolt::install();
        $this->computesMeanwhile();
        $timer = EventLoop::repeat(0.001, $this->tick(...));
        try {
            [$first, $second] = await([async($this->remembered(...)), async($this->remembered(...))]);
        } finally {
            EventLoop::cancel($timer);
        }
        self::assertSame(['of the other process', 'of the other process'], [$first, $second]);
    }

    public function testTheMainProgramWaitsInItsLoop(): void
    {
        Revolt::install();
        $this->computesMeanwhile();
        $timer = EventLoop::repeat(0.001, $this->tick(...));
        $value = $this->remembered();
        EventLoop::cancel($timer);
        self::assertSame('of the other process', $value);
    }

    public function testTimersOfReactPhpGoOn(): void
    {
        React::install();
        $this->computesMeanwhile();
        $values = [];
        for ($i = 0; $i < 2; $i++) {
            (new \Fiber(function () use (&$values): void {
                $values[] = $this->remembered();
                \count($values) < 2 || Loop::stop();
            }))->start();
        }
        $timer = Loop::addPeriodicTimer(0.001, $this->tick(...));
        Loop::run();
        Loop::cancelTimer($timer);
        self::assertSame(['of the other process', 'of the other process'], $values);
    }

    public function testTheFiberOfReactPhpsLoopBlocks(): void
    {
        React::install();
        $value = null;
        Loop::futureTick(function () use (&$value): void {
            $value = Queue::open($this->name)->pop(0.01)?->body ?? 'none';
        });
        $loop = new \Fiber(static fn() => Loop::run());
        $loop->start();
        self::assertSame(['none', true], [$value, $loop->isTerminated()]);
    }

    public function testOneFiberComputesForAll(): void
    {
        Revolt::install();
        $computed = 0;
        $want = fn() => VolatileCache::remember($this->name, function () use (&$computed): int {
            delay(0.01);
            return ++$computed;
        });
        self::assertSame(array_fill(0, 10, 1), await(array_map(static fn() => async($want), range(0, 9))));
    }

    public function testAQueueASemaphoreAndABroadcastLetTheirProducersRun(): void
    {
        Revolt::install();
        $queue = Queue::open($this->name, 1);
        $popped = async(function () use ($queue): array {
            $bodies = [];
            while (\count($bodies) < 3) {
                $message = $queue->pop(30);
                $bodies[] = $message?->body;
                $message?->ack();
            }
            return $bodies;
        });
        delay(0); // let the fiber run until it waits
        self::assertCount(3, $queue->pushMany(['a', 'b', 'c'], wait: 30)); // the queue has room for one message
        self::assertSame(['a', 'b', 'c'], $popped->await());

        $permit = Semaphore::acquire($this->name, 1);
        $next = async(fn() => Semaphore::acquire($this->name, 1, wait: 30)?->release());
        delay(0);
        self::assertTrue($permit?->release());
        self::assertTrue($next->await());

        $broadcast = \Larder\Broadcast::open($this->name);
        $seen = async(static fn() => $broadcast->wait($broadcast->version, 30));
        delay(0);
        self::assertTrue($broadcast->publish('news'));
        self::assertTrue($seen->await());
    }

    public function testAnEndedWaitIsTheCallersException(): void
    {
        \Larder\waitWith(static fn(float $seconds) => throw new \LogicException($seconds > 0 ? 'enough' : 'no time'));
        $this->expectExceptionMessage('enough');
        Queue::open($this->name)->pop(30);
    }

    /** @return iterable<string, array{bool}> */
    public static function processes(): iterable
    {
        yield 'of one process' => [false];
        yield 'of two processes' => [true];
    }

    /** Two computations await fibers that get each other's value. If they waited for each other, each try would take 10 s. */
    #[DataProvider('processes')]
    public function testComputationsThatNeedEachOtherDoNotWait(bool $two): void
    {
        Revolt::install();
        for ($try = 1; $try <= 5; $try++) { // the machine may stall, so a single fast try is enough to pass
            $start = hrtime(true);
            $met = new DeferredFuture();
            $meet = function () use ($two, $try, $met): void {
                $count = VolatileCache::increment("$this->name met $try");
                $two || $count < 2 || $met->complete();
                while ($two && VolatileCache::get("$this->name met $try") < 2) {
                    delay(0.001);
                }
                $two || $met->getFuture()->await();
            };
            $call = fn(string $own, string $other) => VolatileCache::remember("$this->name $try $own", function () use ($try, $own, $other, $meet): string {
                $meet();
                return $own . async(fn() => VolatileCache::remember("$this->name $try $other", static fn() => $other))->await();
            });
            if ($two) {
                $this->child(static fn() => async($call, 'a', 'b')->await());
            }
            $calls = $two ? [async($call, 'b', 'a')] : [async($call, 'a', 'b'), async($call, 'b', 'a')];
            foreach (await($calls) as $value) {
                self::assertMatchesRegularExpression('/^[ab]{2,3}$/', $value);
            }
            if (hrtime(true) - $start < 9e9) {
                return;
            }
        }
        self::fail('they waited until they gave up, five times');
    }
}
