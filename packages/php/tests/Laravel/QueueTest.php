<?php

declare(strict_types=1);

namespace Larder\Tests\Laravel;

use Illuminate\Container\Container;
use Illuminate\Support\Str;
use Larder\Cache\Exception\QueuesUnusable;
use Larder\Cache\PinnedStore;
use Larder\Laravel\LarderConnector;
use Larder\Laravel\LarderQueue;
use Larder\Tests\Work\Php;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;

/**
 * Tests the queue's connector by its interfaces, and with Laravel's own worker (queue:work). The tests with the worker need Debian's
 * Laravel 8.83.
 */
final class QueueTest extends TestCase
{
    private LarderQueue $queue;

    protected function setUp(): void
    {
        class_exists(\Ramsey\Uuid\Uuid::class) || Str::createUuidsUsing(static fn() => 'id');
        foreach (\Larder\Queue::names() as $name) {
            \Larder\Queue::open($name)->clear();
        }
        $this->queue = (new LarderConnector())->connect(['queue' => 'default']);
        $this->queue->setContainer(new Container());
        $this->queue->setConnectionName('larder');
    }

    /** Without larder.scope, no other process sees the store of a command: its jobs would be lost, and a worker would get no jobs. */
    public function testAQueueThatNobodyElseSeesIsRefused(): void
    {
        PinnedStore::isFamily(false);
        try {
            foreach ([fn(LarderQueue $queue) => $queue->pushRaw('{}'), fn(LarderQueue $queue) => $queue->pop()] as $use) {
                try {
                    $use(new LarderQueue('unseen'));
                    self::fail();
                } catch (QueuesUnusable $error) {
                    self::assertStringContainsString('Write "larder.scope = NAME" into php.ini', $error->getMessage());
                }
            }
        } finally {
            PinnedStore::isFamily();
        }
        self::assertSame(0, (new LarderQueue('unseen'))->size());
    }

    public function testPushesPopsAndDeletes(): void
    {
        $id = $this->queue->pushRaw('{"job":"x"}');
        $this->queue->pushRaw('{"job":"other"}', 'other');
        self::assertSame([1, 1], [$this->queue->size(), $this->queue->size('other')]);
        $job = $this->queue->pop();
        self::assertSame(['{"job":"x"}', $id, 1, 'default', 'larder'], [$job?->getRawBody(), $job->getJobId(), $job->attempts(), $job->getQueue(), $job->getConnectionName()]);
        self::assertNull($this->queue->pop());
        self::assertSame([1, 0, 0, 1], [$this->queue->size(), $this->queue->pendingSize(), $this->queue->delayedSize(), $this->queue->reservedSize()]);
        $job->delete();
        self::assertTrue($job->isDeleted());
        self::assertSame(0, $this->queue->size());
        self::assertSame(1, $this->queue->clear('other'));
    }

    public function testAQueueWorksWithoutTheNameOfAConnection(): void
    {
        $queue = new LarderQueue('default'); // the QueueManager would also set the name of the connection
        $queue->setContainer(new Container());
        $queue->pushRaw('{}');
        $job = $queue->pop();
        self::assertSame(['{}', null], [$job?->getRawBody(), $job?->getConnectionName()]);
        $job?->delete();
    }

    public function testAClearDeletesReservedJobsToo(): void
    {
        array_map(fn(int $job): mixed => $this->queue->pushRaw("{\"n\":$job}"), range(1, 3));
        $this->queue->later(600, new \stdClass());
        [$failing, $done] = [$this->queue->pop(), $this->queue->pop()];
        self::assertSame([1, 1, 2], [$this->queue->pendingSize(), $this->queue->delayedSize(), $this->queue->reservedSize()]);
        self::assertSame(4, $this->queue->clear('default'));
        self::assertSame(0, $this->queue->size());
        $failing?->release();
        $done?->delete();
        usleep(20000); // after this pause, the released message is ready again
        self::assertSame(['{"n":1}', null, 0], [$failing?->getRawBody(), $this->queue->pop(), $this->queue->size()]);
    }

    public function testReleasesWithAndWithoutADelay(): void
    {
        $this->queue->pushRaw('{}');
        $job = $this->queue->pop();
        $job?->release();
        self::assertTrue($job?->isReleased());
        $job = $this->queue->pop();
        self::assertSame(2, $job?->attempts());
        $job->release(600);
        self::assertNull($this->queue->pop());
        self::assertSame(1, $this->queue->delayedSize());
        $this->queue->pushRaw('{}');
        $this->queue->pop()?->release(new \DateTimeImmutable('+10 minutes')); // as the middleware WithoutOverlapping does
        $this->queue->pushRaw('{}');
        $this->queue->pop()?->release(-5);
        usleep(20000); // the job is ready after a millisecond, but the clock may move only every 10 ms
        self::assertSame([2, 1], [$this->queue->delayedSize(), $this->queue->pendingSize()]);
        usleep(1100000);
        self::assertSame(2, $this->queue->delayedSize(), 'not after a second');
    }

    public function testAJobThatReleasesItselfGoesBehindThoseThatWait(): void
    {
        foreach (['a', 'b', 'c'] as $body) {
            $this->queue->pushRaw($body);
        }
        $seen = [];
        while (($job = $this->queue->pop()) !== null) {
            $seen[] = $job->getRawBody() . $job->attempts();
            $job->getRawBody() === 'a' && $job->attempts() < 4 ? $job->release() : $job->delete();
        }
        self::assertSame(['a1', 'b1', 'c1', 'a2', 'a3', 'a4'], $seen);
    }

    public function testWorkersThatAreKilledWhileTheyReleaseLoseNothing(): void
    {
        $jobs = range(100, 149);
        array_map(fn(int $job): mixed => $this->queue->pushRaw((string) $job), $jobs);
        VolatileCache::set('released', 0);
        for ($round = 0, $end = hrtime(true) + 60e9; $round < 20 || VolatileCache::get('released') < 500 && hrtime(true) < $end; $round++) {
            $pid = pcntl_fork();
            if ($pid === 0) {
                for (;; VolatileCache::increment('released')) {
                    $this->queue->pop()?->release();
                }
            }
            usleep(random_int(1000, 20000));
            posix_kill($pid, SIGKILL);
            pcntl_waitpid($pid, $status);
        }
        usleep(20000); // after this pause, the last released message is due
        $seen = $attempts = [];
        while (($job = $this->queue->pop()) !== null) {
            $seen[] = (int) $job->getRawBody();
            $attempts[] = $job->attempts();
            $job->delete();
        }
        sort($seen);
        self::assertSame($jobs, $seen);
        self::assertGreaterThan(2, min($attempts), 'each had its turn');
    }

    public function testAJobThatIsForgottenComesBack(): void
    {
        $this->queue->pushRaw('{}');
        $this->queue->pop();
        self::assertSame(2, $this->queue->pop()?->attempts());
    }

    public function testWaitsAtTheFirstOfSeveralQueuesOnly(): void
    {
        $queue = (new LarderConnector())->connect(['block_for' => 0.5]);
        $queue->setContainer(new Container());
        $queue->setConnectionName('larder');
        /* Looks for a job as a worker with --queue=high,low. Returns whether it found one, and whether this took more than 0.4 s. */
        $look = static function () use ($queue): array {
            $start = microtime(true);
            $job = $queue->pop('high', 0) ?? $queue->pop('low', 1);
            $job?->delete();
            return [$job !== null, microtime(true) - $start > 0.4];
        };
        $wanted = [[true, true], [true, false], [false, false], [false, true]];
        // If the machine stalls, any call of $look may take 0.4 s, so try again.
        for ($try = 1, $seen = []; $try <= 10 && $seen !== $wanted; $try++) {
            $queue->clear('low');
            $queue->pushRaw('{}', 'low');
            $queue->pushRaw('{}', 'low');
            $seen = [$look(), $look(), $look(), $look()];
        }
        self::assertSame($wanted, $seen);
    }

    public function testBulkAndLater(): void
    {
        $this->queue->bulk(['one', 'two'], 'data');
        $this->queue->later(600, 'three');
        self::assertSame(3, $this->queue->size());
        self::assertSame('one', json_decode((string) $this->queue->pop()?->getRawBody(), true)['job']);
    }

    /** From version 12 on, Laravel also writes the delay into the payload. */
    public function testThePayloadHasTheDelay(): void
    {
        $delays = (new \ReflectionMethod($this->queue, 'createPayload'))->getNumberOfParameters() === 4 ? [600, 3600, null] : [null, null, null];
        $this->queue->later(600, 'a', '', 'delays');
        $this->queue->bulk([(object) ['delay' => new \DateInterval('PT1H')], 'c'], '', 'delays');
        $seen = array_map(static fn(\Larder\Message $message): mixed => json_decode($message->body, true)['delay'] ?? null, \Larder\Queue::open('delays')->list());
        self::assertEqualsCanonicalizing($delays, $seen);
    }

    public function testBulkDelaysTheJobsThatSaySo(): void
    {
        $job = static fn(int|\DateInterval|null $delay): object => (object) ['delay' => $delay];
        $this->queue->bulk([$job(600), $job(null), 'text', $job(new \DateInterval('PT1H'))]);
        self::assertSame([2, 2], [$this->queue->delayedSize(), $this->queue->pendingSize()]);
    }

    public function testSaysWhatIsWrong(): void
    {
        $this->expectExceptionMessage('retry_after of a larder queue must be a number of seconds');
        (new LarderConnector())->connect(['retry_after' => 'soon']);
    }

    /** @return \Closure(string...): string runs queue-app.php */
    private static function app(Php $php): \Closure
    {
        return fn(string ...$arguments) => $php->run(...self::program(), ...$arguments);
    }

    /** @return list<string> */
    private static function program(): array
    {
        class_exists(\PhpOption\Option::class) || self::markTestSkipped('needs a whole application, as Debian has it');
        $composer = (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
        $autoload = class_exists(\Composer\Autoload\ClassLoader::class, false) && is_file($composer) ? $composer : 'Illuminate/autoload.php';
        return [__DIR__ . '/queue-app.php', $autoload];
    }

    public function testASignalStopsLaravelsOwnWorkerWhileItWaits(): void
    {
        $php = new Php();
        $app = self::app($php);
        $work = fn() => $php->start("$php->folder/log", ...self::program(), ...['queue:work', 'larder', '--sleep=0']);
        $seen = fn() => (string) @file_get_contents("$php->folder/seen");
        $log = fn() => (string) file_get_contents("$php->folder/log");
        touch("$php->folder/wait");

        $app('push', 'a');
        $worker = $work();
        self::assertTrue(Php::wait(fn() => $seen() === 'a:1 '), $log());
        usleep(200000); // after this pause, the worker waits for the next job
        self::assertLessThan(20, Php::terminate($worker), $log()); // without the signal, the worker would end after a minute
        $app('push', 'b');
        self::assertSame('[1,1,0,0,0]', $app('counts'));

        $app('push', 'slow');
        $app('push', 'c');
        $worker = $work();
        self::assertTrue(Php::wait(fn() => $seen() === 'a:1 b:1 slow:1 '), $log());
        self::assertLessThan(20, Php::terminate($worker), $log());
        self::assertFileExists("$php->folder/done");
        self::assertSame(['a:1 b:1 slow:1 ', '[1,1,0,0,0]'], [$seen(), $app('counts')], $log());
    }

    public function testLaravelsOwnWorkerEndsWhenItsStoreIsGone(): void
    {
        $php = new Php();
        $app = self::app($php);
        $app('push', 'lose');
        // The worker must end when its store is gone. If it tried again instead, --max-time would end it after a minute.
        $log = $app('queue:work', 'larder', '--sleep=0.01', '--max-time=60');
        self::assertSame('lose:1 ', file_get_contents("$php->folder/seen"), $log);
        self::assertSame(1, substr_count($log, 'reported: Lost connection to the queues: '), $log);
        $app('push', 'next');
        $app('queue:work', 'larder', '--stop-when-empty', '--sleep=0.01');
        self::assertSame('lose:1 next:1 ', file_get_contents("$php->folder/seen"));
    }

    public function testLaravelsOwnWorkerEndsWhenTheLocksAreGone(): void
    {
        $php = new Php();
        $app = self::app($php);
        $app('push', 'lose-locks', '1');
        $app('push', 'behind');
        $log = $app('queue:work', 'larder', '--sleep=0.01', '--stop-when-empty');
        self::assertSame('lose-locks:1 ', file_get_contents("$php->folder/seen"), $log);
        self::assertSame(1, substr_count($log, 'reported: Lost connection to the pinned store, which has the locks: its file was removed'), $log);
        $app('queue:work', 'larder', '--stop-when-empty', '--sleep=0.01');
        self::assertSame('lose-locks:1 behind:1 ', file_get_contents("$php->folder/seen"));
    }

    public function testAPushSaysThatTheStoreIsGone(): void
    {
        $app = self::app(new Php());
        self::assertStringStartsWith('Lost connection to the queues: The queue cannot be opened: the segment file was removed or replaced', $app('push-lost'));
        self::assertSame('', $app('push', 'next'));
    }

    public function testWithAfterCommitJobsWaitForTheTransaction(): void
    {
        self::assertSame('[0,0,0,2]', self::app(new Php())('transactions'));
    }

    public function testAFullQueueIsAnError(): void
    {
        \Larder\Queue::open('small', 1)->clear();
        $this->queue->pushRaw('{}', 'small');
        $this->expectExceptionMessage('The queue small is full or busy; if that lasts, raise larder.queue_size.');
        $this->queue->pushRaw('{}', 'small');
    }

    public function testLaravelsOwnWorker(): void
    {
        $php = new Php();
        $app = self::app($php);
        $work = fn(string ...$options) => $app('queue:work', 'larder', '--stop-when-empty', '--sleep=0.01', ...$options);
        $seen = fn() => (string) @file_get_contents("$php->folder/seen");

        $app('push', 'a');
        $app('push', 'b');
        self::assertSame('[2,2,0,0,0]', $app('counts'));
        $log = $work();
        self::assertSame('a:1 b:1 ', $seen(), $log);

        $app('push', 'later', '', '1');
        self::assertSame('[1,0,1,0,0]', $app('counts'));
        self::assertTrue(Php::wait(function () use ($work, $seen) {
            $work();
            return str_ends_with($seen(), 'later:1 ');
        }));

        $app('push', 'release', '3');
        $app('push', 'behind');
        $work();
        self::assertStringEndsWith('release:1 behind:1 release:2 ', $seen());

        touch("$php->folder/fail"); // while this file exists, the job fails; it gets three attempts
        $app('push', 'fail', '3');
        $log = $work();
        self::assertStringEndsWith('fail:1 fail:2 fail:3 ', $seen(), $log);
        self::assertSame('[0,0,0,0,1]', $app('counts'), $log);
        unlink("$php->folder/fail");
        $log = $app('queue:retry', 'all');
        self::assertSame('[1,1,0,0,0]', $app('counts'), $log);
        $work();
        self::assertStringEndsWith('fail:3 fail:1 ', $seen());

        touch("$php->folder/fail"); // the next job is tried only once, because its deadline is over
        $app('push', 'fail', '', '', (string) (time() - 1));
        $work('--tries=9');
        self::assertSame('[0,0,0,0,1]', $app('counts'));

        $app('push', 'die', '3');
        $work();
        self::assertStringEndsWith('die:1 ', $seen());
        $work();
        self::assertStringEndsWith('die:1 die:2 ', $seen());
        self::assertSame('[0,0,0,0,1]', $app('counts'));
    }
}
