<?php

declare(strict_types=1);

namespace Larder\Tests\Symfony;

use Larder\Cache\Exception\QueuesUnusable;
use Larder\Cache\PinnedStore;
use Larder\Queue;
use Larder\Symfony\LarderPriorityStamp;
use Larder\Symfony\LarderTransport;
use Larder\Symfony\LarderTransportFactory;
use Larder\Tests\Processes;
use Larder\Tests\Work\Php;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Event\WorkerMessageFailedEvent;
use Symfony\Component\Messenger\Event\WorkerMessageHandledEvent;
use Symfony\Component\Messenger\Event\WorkerMessageReceivedEvent;
use Symfony\Component\Messenger\Exception\InvalidArgumentException;
use Symfony\Component\Messenger\Exception\MessageDecodingFailedException;
use Symfony\Component\Messenger\Exception\TransportException;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Stamp\RedeliveryStamp;
use Symfony\Component\Messenger\Stamp\TransportMessageIdStamp;
use Symfony\Component\Messenger\Transport\Receiver\KeepaliveReceiverInterface;
use Symfony\Component\Messenger\Transport\Serialization\PhpSerializer;
use Symfony\Component\Messenger\Transport\TransportInterface;

/** Tests the transport through its interfaces, and with Messenger's own commands. The tests also run with Debian's Symfony 5.4. */
final class MessengerTest extends TestCase
{
    private LarderTransport $transport;

    protected function setUp(): void
    {
        if (!interface_exists(TransportInterface::class)) {
            self::markTestSkipped('symfony/messenger is not installed');
        }
        Queue::open('jobs')->clear();
        $this->transport = $this->create('larder://jobs');
    }

    /** Without larder.scope, no other process sees the store of a command: its messages would be lost, and a consumer would get none. */
    public function testATransportThatNobodyElseSeesIsRefused(): void
    {
        PinnedStore::isFamily(false);
        try {
            foreach ([fn(LarderTransport $one) => $one->send(new Envelope(new \stdClass())), fn(LarderTransport $one) => [...$one->get()]] as $use) {
                try {
                    $use($this->create('larder://unseen'));
                    self::fail();
                } catch (QueuesUnusable $error) {
                    self::assertStringContainsString('Write "larder.scope = NAME" into php.ini', $error->getMessage());
                }
            }
        } finally {
            PinnedStore::isFamily();
        }
        self::assertSame(0, $this->create('larder://unseen')->getMessageCount());
    }

    /** @param array<mixed> $options */
    private function create(string $dsn, array $options = []): LarderTransport
    {
        $transport = (new LarderTransportFactory())->createTransport($dsn, $options + ['transport_name' => 'x'], new PhpSerializer());
        \assert($transport instanceof LarderTransport);
        return $transport;
    }

    /** @param array<\Symfony\Component\Messenger\Stamp\StampInterface> $stamps */
    private function send(string $text, array $stamps = []): string
    {
        $id = $this->transport->send(new Envelope((object) ['text' => $text], $stamps))->last(TransportMessageIdStamp::class)?->getId();
        \assert(\is_string($id));
        return $id;
    }

    private function get(): ?Envelope
    {
        return [...$this->transport->get()][0] ?? null;
    }

    public function testSendsGetsAndAcknowledges(): void
    {
        $id = $this->send('one');
        self::assertSame(1, $this->transport->getMessageCount());
        $envelope = $this->get();
        self::assertSame('one', $envelope?->getMessage()->text);
        self::assertSame($id, $envelope->last(TransportMessageIdStamp::class)?->getId());
        self::assertNull($this->get());
        $this->transport->ack($envelope);
        unset($envelope);
        self::assertNull($this->get());
        self::assertSame(0, $this->transport->getMessageCount());
    }

    public function testRejects(): void
    {
        $this->send('one');
        $envelope = $this->get();
        \assert($envelope !== null);
        $this->transport->reject($envelope);
        unset($envelope);
        self::assertNull($this->get());
    }

    public function testAnEnvelopeThatIsForgottenComesBack(): void
    {
        $this->send('one');
        $envelope = $this->get();
        unset($envelope);
        self::assertSame('one', $this->get()?->getMessage()->text);
    }

    public function testDelaysAndPriorities(): void
    {
        $this->send('late', [new DelayStamp(60000)]);
        $this->send('usual');
        $this->send('urgent', [new LarderPriorityStamp(5)]);
        self::assertSame(3, $this->transport->getMessageCount());
        self::assertSame('urgent', ($first = $this->get())?->getMessage()->text);
        self::assertSame('usual', ($second = $this->get())?->getMessage()->text);
        self::assertNull($this->get());
        $this->send('soon', [new DelayStamp(30)]);
        self::assertTrue(Php::wait(fn() => $this->get()?->getMessage()->text === 'soon'));
        unset($first, $second);
    }

    public function testListsAndFinds(): void
    {
        $ids = [$this->send('a'), $this->send('b'), $this->send('c')];
        self::assertEqualsCanonicalizing(['a', 'b', 'c'], array_map(fn($envelope) => $envelope->getMessage()->text, [...$this->transport->all()]));
        self::assertCount(2, [...$this->transport->all(2)]);
        $found = $this->transport->find($ids[1]);
        self::assertSame('b', $found?->getMessage()->text);
        self::assertSame($ids[1], $found->last(TransportMessageIdStamp::class)?->getId());
        $this->transport->reject($found); // as messenger:failed:remove does
        self::assertNull($this->transport->find($ids[1]));
        self::assertNull($this->transport->find('nonsense'));
        self::assertSame(2, $this->transport->getMessageCount());
    }

    public function testListsAndFindsNoMessageThatAWorkerHandles(): void
    {
        $ids = [$this->send('a'), $this->send('b'), $this->send('late', [new DelayStamp(60000)])];
        $found = $this->transport->find($ids[0]);
        \assert($found !== null);
        self::assertSame(['a'], $this->texts(1));
        $taken = $this->get(); // as another worker does
        self::assertSame('a', $taken?->getMessage()->text);
        self::assertNull($this->transport->find($ids[0]));
        self::assertSame([['b'], ['b'], ['b']], [$this->texts(), $this->texts(1), $this->texts(2)]);
        self::assertSame('late', $this->transport->find($ids[2])?->getMessage()->text);
        self::assertSame(
            [TransportException::class . ": The message $ids[0] of the queue \"jobs\" was not removed: another worker is handling it."],
            Processes::run(1, fn(): mixed => $this->transport->reject($found)),
        );
        $this->transport->ack($taken);
        $this->transport->reject($found); // the message is gone already, which is no error
        self::assertSame(2, $this->transport->getMessageCount());
    }

    public function testFindsReadyMessagesBehindManyOthers(): void
    {
        for ($i = 0; $i < 40; $i++) {
            $this->send("late $i", [new DelayStamp(60000)]);
            $i % 10 === 0 && $this->send("ready $i");
        }
        self::assertCount(3, $this->texts(3));
        self::assertEqualsCanonicalizing(['ready 0', 'ready 10', 'ready 20', 'ready 30'], $this->texts(50));
        self::assertEqualsCanonicalizing(['ready 0', 'ready 10', 'ready 20', 'ready 30'], $this->texts());
    }

    /**
     * messenger:failed:retry handles the first listed message until the list is empty. So a message must not be listed before its retry is
     * due.
     */
    public function testListsAMessageAgainOnlyWhenItsRetryIsDue(): void
    {
        $this->send('fails');
        for ($handled = 0; $handled < 5 && ([$envelope] = [...$this->transport->all(1)] + [null]) !== [null]; $handled++) {
            $this->transport->send($envelope->with(new RedeliveryStamp(1), new DelayStamp(60000))); // as Messenger's listener does
            $this->transport->reject($envelope);
        }
        self::assertSame([1, 1, []], [$handled, $this->transport->getMessageCount(), $this->texts()]);
    }

    /** @return list<string> the texts of the messages that the transport lists */
    private function texts(?int $limit = null): array
    {
        return array_map(static fn(Envelope $envelope): string => $envelope->getMessage()->text, [...$this->transport->all($limit)]);
    }

    public function testWhatNobodyCanDecodeIsDropped(): void
    {
        Queue::open('jobs')->push(['body' => 'not serialized', 'headers' => []]);
        try {
            $this->get();
            self::fail('it was decoded');
        } catch (MessageDecodingFailedException) {
            self::assertNull($this->get());
        }
    }

    public function testAFullQueueIsAnError(): void
    {
        $this->transport = $this->create('larder://small?capacity=1');
        $this->transport->setup();
        Queue::open('small')->clear();
        $this->send('one');
        $this->expectException(TransportException::class);
        $this->send('two');
    }

    public function testARetryThatFindsNoRoomIsPutBackAndCounted(): void
    {
        $this->transport = $this->create('larder://small?capacity=2');
        $this->transport->setup();
        Queue::open('small')->clear();
        $id = $this->send('one');
        $this->send('two');
        foreach ([1, 2] as $retry) {
            self::assertTrue(Php::wait(function () use (&$one): bool {
                return ($one = $this->get()) !== null;
            }));
            self::assertSame(['one', $retry - 1], [$one->getMessage()->text, RedeliveryStamp::getRetryCountFromEnvelope($one)]);
            $sent = $this->transport->send($one->with(new DelayStamp(10), new RedeliveryStamp($retry)));
            $this->transport->reject($one);
            self::assertSame([$id, 3 - $retry], [$sent->last(TransportMessageIdStamp::class)?->getId(), $this->transport->getMessageCount()]);
            $retry === 1 && self::assertSame('two', ($two = $this->get())?->getMessage()->text);
        }
        $info = Queue::open('small')->info();
        self::assertSame([1, 1], [$info->delayed, $info->reserved]);
    }

    /** In debug mode, Symfony's error handler throws an exception for each warning. */
    public function testARetryThatIsTooLargeIsPutBackWhereWarningsAreThrown(): void
    {
        $id = $this->send('one');
        $one = $this->get();
        \assert($one !== null);
        $larger = new Envelope((object) ['text' => str_repeat('x', 1 << 26)]);
        set_error_handler(static fn(int $level, string $text): bool => throw new \ErrorException($text, 0, $level), E_WARNING);
        try {
            $sent = $this->transport->send($larger->with(...array_merge(...array_values($one->all())))->with(new RedeliveryStamp(1)));
            self::assertSame([$id, 1], [$sent->last(TransportMessageIdStamp::class)?->getId(), Queue::open('jobs')->info()->delayed]);
            $this->transport->send($larger);
            self::fail('it was taken');
        } catch (TransportException $refused) {
            self::assertStringStartsWith('The queue "jobs" has not taken a message: Larder\Queue::push(): ', $refused->getMessage());
        } finally {
            restore_error_handler();
        }
    }

    public function testWhatIsNoRetryOfAReservedMessageNeedsRoom(): void
    {
        $this->transport = $this->create('larder://small?capacity=1');
        $this->transport->setup();
        Queue::open('small')->clear();
        $found = $this->transport->find($this->send('one'));
        $one = $this->get();
        \assert($found !== null && $one !== null);
        foreach ([$one, $found->with(new RedeliveryStamp(1)), new Envelope($one->getMessage(), [new RedeliveryStamp(1)])] as $envelope) {
            try {
                $this->transport->send($envelope);
                self::fail('it was taken');
            } catch (TransportException) {
                self::assertSame(1, Queue::open('small')->info()->reserved);
            }
        }
    }

    public function testKeepsAlive(): void
    {
        if (!$this->transport instanceof KeepaliveReceiverInterface) {
            self::markTestSkipped('this Messenger has no keepalive');
        }
        $this->transport = $this->create('larder://jobs', ['time_to_run' => 600]);
        $this->send('one');
        $envelope = $this->get();
        \assert($envelope !== null && $this->transport instanceof KeepaliveReceiverInterface);
        $this->transport->keepalive($envelope);
        $this->transport->ack($envelope);
        self::assertSame(0, $this->transport->getMessageCount());
    }

    public function testEachMessageIsARequest(): void
    {
        $events = new \Symfony\Component\EventDispatcher\EventDispatcher();
        $events->addSubscriber(new \Larder\Symfony\LarderWorkerListener());
        $envelope = new Envelope(new \stdClass());
        $taken = static fn(): bool => Processes::run(1, static fn() => \Larder\VolatileCache::lock('forgotten'))[0] !== true;
        foreach ([new WorkerMessageHandledEvent($envelope, 'jobs'), new WorkerMessageFailedEvent($envelope, 'jobs', new \Exception())] as $event) {
            $events->dispatch(new WorkerMessageReceivedEvent($envelope, 'jobs'));
            \Larder\VolatileCache::lock('forgotten');
            self::assertTrue($taken());
            $events->dispatch($event);
            self::assertFalse($taken());
        }
    }

    public function testSaysWhatIsWrong(): void
    {
        $factory = new LarderTransportFactory();
        self::assertTrue($factory->supports('larder://x', []));
        self::assertFalse($factory->supports('redis://x', []));
        foreach (['larder://' => 'must be "larder://NAME"', 'larder://x?speed=9' => '"speed" is no option', 'larder://x?wait=soon' => '"wait" must be a number',
            'larder://x?wait=1e999' => '"wait" must be a number', 'larder://x:5' => 'must be "larder://NAME"', 'larder://a@x' => 'must be "larder://NAME"', 'larder://x#y' => 'must be "larder://NAME"'] as $dsn => $text) {
            try {
                $this->create($dsn);
                self::fail("$dsn was accepted");
            } catch (InvalidArgumentException $exception) {
                self::assertStringContainsString($text, $exception->getMessage());
            }
        }
    }

    /** @return \Closure(string...): string runs messenger-app.php */
    private static function app(Php $php): \Closure
    {
        return fn(string ...$arguments) => $php->run(...self::program(), ...$arguments);
    }

    /** @return list<string> */
    private static function program(): array
    {
        class_exists(\Symfony\Component\Console\Application::class) || self::markTestSkipped('symfony/console is not installed');
        $composer = (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
        $autoload = class_exists(\Composer\Autoload\ClassLoader::class, false) && is_file($composer) ? $composer : __DIR__ . '/messenger-debian.php';
        return [__DIR__ . '/messenger-app.php', $autoload];
    }

    public function testASignalStopsAWorkerThatWaits(): void
    {
        $php = new Php();
        $app = self::app($php);
        $consume = fn(string ...$queues) => $php->start("$php->folder/log", ...self::program(), ...['messenger:consume', ...$queues, '--sleep=0', '--no-interaction']);
        $log = fn() => (string) file_get_contents("$php->folder/log");
        touch("$php->folder/wait");

        $app('send', 'a');
        $worker = $consume('jobs', 'more');
        self::assertTrue(Php::wait(fn() => @file_get_contents("$php->folder/seen") === 'a '), $log());
        usleep(200000); // after this pause, the worker waits for the next message
        self::assertLessThan(20, Php::terminate($worker), $log()); // without the signal, the worker would end after a minute
        $app('send', 'b');
        self::assertSame('[1,0,[]]', $app('counts'));

        $app('send', 'slow');
        $app('send', 'c');
        $worker = $consume('jobs');
        self::assertTrue(Php::wait(fn() => file_exists("$php->folder/begun")), $log());
        self::assertLessThan(20, Php::terminate($worker), $log());
        self::assertSame('a b slow ', file_get_contents("$php->folder/seen"), $log());
        self::assertSame('[1,0,[]]', $app('counts'));
    }

    public function testSayingThatTheStoreIsGone(): void
    {
        $app = self::app(new Php());
        self::assertStringStartsWith('The queue "jobs" cannot be used: The queue cannot be opened: the segment file was removed or replaced', $app('send-lost'));
        self::assertSame('', $app('send', 'next'));
        self::assertSame('[1,0,[]]', $app('counts'));
    }

    public function testMessengersOwnCommands(): void
    {
        $php = new Php();
        $app = self::app($php);
        $consume = fn(string ...$options) => $app('messenger:consume', 'jobs', '--sleep=0.01', '--no-interaction', ...$options);
        $seen = fn() => (string) @file_get_contents("$php->folder/seen");

        foreach (['a', 'b'] as $text) {
            self::assertSame('', $app('send', $text));
        }
        $app('send', 'late', '300');
        self::assertSame('[3,0,[]]', $app('counts'));
        $log = $consume('--limit=3');
        self::assertSame('a b late ', $seen(), $log);

        touch("$php->folder/fail"); // while this file exists, the message fails; after three tries it goes to the failure transport
        $app('send', 'fail 1');
        $log = $consume('--limit=3');
        self::assertSame('a b late (fail 1) (fail 1) (fail 1) ', $seen(), $log);
        self::assertSame('[0,1,["fail 1"]]', $app('counts'));
        self::assertStringContainsString('fail 1 failed', $app('messenger:failed:show', '-vv', '--no-interaction'));
        $id = trim((string) json_decode($php->run('-r', 'echo json_encode(Larder\Queue::open("failed")->peek()->id);')));
        unlink("$php->folder/fail");
        $log = $app('messenger:failed:retry', $id, '--force', '--no-interaction');
        self::assertStringEndsWith('(fail 1) fail 1 ', $seen(), $log);
        self::assertSame('[0,0,[]]', $app('counts'), $log);

        $app('send', 'die');
        $consume('--limit=1');
        self::assertFileExists("$php->folder/died");
        self::assertStringEndsNotWith('die ', $seen());
        $consume('--limit=1');
        self::assertStringEndsWith('die ', $seen());
        self::assertSame('[0,0,[]]', $app('counts'));
    }

    public function testAWorkerGoesOnWhereAQueueIsFullOfMessagesThatFail(): void
    {
        $php = new Php();
        $app = self::app($php);
        $consume = fn(int $limit) => $app('messenger:consume', 'jobs', '--sleep=0.01', '--no-interaction', "--limit=$limit");
        $seen = fn() => (string) @file_get_contents("$php->folder/seen");
        $php->run('-r', 'Larder\Queue::open("jobs", 2); Larder\Queue::open("failed", 2);');
        touch("$php->folder/fail");
        $app('send', 'fail 1');
        $app('send', 'fail 2');
        $log = $consume(6);
        self::assertSame(str_repeat('(fail 1) (fail 2) ', 3), $seen(), $log);
        self::assertSame('[0,2,["fail 1","fail 2"]]', $app('counts'), $log);

        $app('send', 'fail 3'); // this message cannot go to the failure transport, which is full
        $app('send', 'a');
        $log = $consume(4);
        self::assertStringContainsString('(fail 3) a (fail 3) ', $seen(), $log);
        self::assertStringEndsWith('(fail 3) ', $seen(), $log);
        self::assertSame('[1,2,["fail 1","fail 2"]]', $app('counts'), $log);
    }
}
