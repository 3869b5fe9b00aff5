<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\Exception\QueuesUnusable;
use Larder\Message;
use Larder\Queue;
use Larder\StaticCacheException;
use Larder\VolatileCache;
use Psr\Log\LoggerInterface;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Exception\MessageDecodingFailedException;
use Symfony\Component\Messenger\Exception\TransportException;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Stamp\RedeliveryStamp;
use Symfony\Component\Messenger\Stamp\TransportMessageIdStamp;
use Symfony\Component\Messenger\Transport\Receiver\ListableReceiverInterface;
use Symfony\Component\Messenger\Transport\Receiver\MessageCountAwareInterface;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Transport\SetupableTransportInterface;
use Symfony\Component\Messenger\Transport\TransportInterface;

/**
 * A transport of Symfony Messenger: a queue in shared memory. A message belongs to the worker that got it. If this worker dies, another one
 * gets the message immediately.
 *
 * To retry a message, or to pass it to the failure transport, Messenger sends a new message, and removes the old one. If there is no room
 * for the new message, an exception would end the worker. Instead, this transport makes the old message ready again after a delay, and
 * stores the number of retries in the volatile store.
 */
class LarderTransport implements TransportInterface, ListableReceiverInterface, MessageCountAwareInterface, SetupableTransportInterface
{
    /** The minimum delay (s) of an old message that is put back, because its own queue has no room for the new message. */
    private const PAUSE = 1.0;
    /** The minimum delay (s) of an old message that is put back, because another queue has no room for the new message. */
    private const PAUSE_ELSEWHERE = 60.0;
    /** The number of retries of an old message is stored for its delay and this many seconds. */
    private const KEPT = 86400;

    /**
     * The names of the queues that get() has found empty since a signal ended a wait. While this array has elements, get() does not wait, so
     * that the worker can soon check whether to stop. The worker makes this check after it has called get() for each of its queues. So if
     * get() is called again for a queue in this array, the worker has made the check, and get() empties the array.
     *
     * @var array<string, true>
     */
    private static array $interrupted = [];

    private ?Queue $queue = null;

    /**
     * @param int $capacity the maximum number of messages; 0: only memory limits it
     * @param float $wait seconds that get() waits for a message
     * @param float $timeToRun seconds after which another worker gets an unfinished message; 0: another gets it only if the first dies
     */
    public function __construct(
        private readonly string $name,
        private readonly SerializerInterface $serializer,
        private readonly int $capacity = 0,
        private readonly float $wait = 0,
        protected readonly float $timeToRun = 0,
        private readonly ?LoggerInterface $logger = null,
    ) {}

    public function send(Envelope $envelope): Envelope
    {
        $encoded = $this->serializer->encode($envelope);
        $delay = max(0, $envelope->last(DelayStamp::class)?->getDelay() ?? 0) / 1000;
        $priority = $envelope->last(LarderPriorityStamp::class)->priority ?? 0;
        $tooLarge = null;
        try {
            $id = $this->queue()->push(['body' => $encoded['body'], 'headers' => $encoded['headers'] ?? []], $delay, $priority);
        } catch (\ErrorException $tooLarge) { // push() warns about a value that is too large, and the application's error handler may throw
            $id = null;
        }
        return $envelope->with(new TransportMessageIdStamp($id ?? $this->putBack($envelope, $delay) ?? throw $this->refused($tooLarge)));
    }

    /** @return iterable<Envelope> */
    public function get(): iterable
    {
        self::$interrupted = isset(self::$interrupted[$this->name]) ? [] : self::$interrupted;
        $wait = self::$interrupted === [] ? $this->wait : 0;
        $start = hrtime(true);
        $message = $this->queue()->pop($wait, $this->timeToRun);
        if ($message === null) {
            if (self::$interrupted !== [] || (hrtime(true) - $start) / 1e9 < 0.9 * $wait) {
                self::$interrupted[$this->name] = true;
            }
            return [];
        }
        try {
            $envelope = $this->envelope($message);
            $retries = $message->attempts > 1 ? VolatileCache::get($this->retriesOf($message)) : null;
            return [\is_int($retries) ? $envelope->with(new RedeliveryStamp($retries)) : $envelope];
        } catch (MessageDecodingFailedException $exception) {
            $message->ack(); // no worker can decode the message
            throw $exception;
        }
    }

    public function ack(Envelope $envelope): void
    {
        $this->end($envelope);
    }

    public function reject(Envelope $envelope): void
    {
        $this->end($envelope);
    }

    /**
     * Returns the ready messages. The command messenger:failed:retry calls all(1) and handles the message, until all(1) returns none.
     *
     * @return iterable<Envelope>
     */
    public function all(?int $limit = null): iterable
    {
        foreach ($this->ready(max(0, $limit ?? 0)) as $message) {
            yield $this->envelope($message);
        }
    }

    /** Returns a ready or delayed message. Returns null for a reserved message, because only its worker may handle it. */
    public function find(mixed $id): ?Envelope
    {
        $message = \is_scalar($id) ? $this->queue()->peek((string) $id) : null;
        return $message !== null && $message->state !== 'reserved' ? $this->envelope($message) : null;
    }

    /** Returns the number of ready and delayed messages. */
    public function getMessageCount(): int
    {
        $info = $this->queue()->info();
        return $info->ready + $info->delayed;
    }

    public function setup(): void
    {
        $this->queue();
    }

    protected function received(Envelope $envelope): Message
    {
        return $envelope->last(LarderReceivedStamp::class)->message
            ?? throw new TransportException('The envelope was not received from this transport.');
    }

    private function queue(): Queue
    {
        if ($this->queue === null) {
            QueuesUnusable::unlessShared();
        }
        return $this->queue ??= Queue::open($this->name, $this->capacity);
    }

    /** @return list<Message> the ready messages: at most $limit of them, or all if $limit is 0 */
    private function ready(int $limit): array
    {
        if ($limit === 1) {
            $next = $this->queue()->peek();
            return $next !== null ? [$next] : [];
        }
        // Do not read all of a long queue into memory: begin with $limit messages, and read more only if too few of them are ready.
        for ($count = $limit;; $count *= 4) {
            $list = $this->queue()->list($count);
            $ready = array_filter($list, static fn(Message $message): bool => $message->state === 'ready');
            if ($limit === 0 || \count($ready) >= $limit || \count($list) < $count) {
                return \array_slice($ready, 0, $limit ?: null);
            }
        }
    }

    private function envelope(Message $message): Envelope
    {
        $body = $message->body;
        if (!\is_array($body) || !isset($body['body'])) {
            throw new MessageDecodingFailedException(\sprintf('Message %s of the queue "%s" was not sent by Messenger.', $message->id, $this->name));
        }
        return $this->serializer->decode($body)->withoutAll(TransportMessageIdStamp::class)
            ->with(new LarderReceivedStamp($message, $this->name), new TransportMessageIdStamp($message->id));
    }

    /**
     * Makes the old message of this envelope ready again after a delay, and returns its id. Returns null if there is no old message, or if
     * the old message is no longer reserved.
     */
    private function putBack(Envelope $envelope, float $delay): ?string
    {
        $received = $envelope->last(LarderReceivedStamp::class);
        $redelivery = $envelope->last(RedeliveryStamp::class);
        if ($received === null || $redelivery === null) {
            return null;
        }
        $message = $received->message;
        $retry = $received->queue === $this->name;
        $delay = max($delay, $retry ? self::PAUSE : self::PAUSE_ELSEWHERE);
        if ($retry && $message->isReserved()) {
            VolatileCache::set($this->retriesOf($message), $redelivery->getRetryCount(), $delay + self::KEPT);
        }
        if (!$message->release($delay)) {
            return null;
        }
        $this->logger?->warning('The queue "{full}" has no room: message {id} was put back into the queue "{queue}" for {delay} s.', [
            'full' => $this->name, 'id' => $message->id, 'queue' => $received->queue, 'delay' => $delay,
        ]);
        return $message->id;
    }

    private function retriesOf(Message $message): string
    {
        return "larder.messenger:$this->name:$message->id";
    }

    /** Returns the exception for a message that the queue has refused. */
    private function refused(?\ErrorException $tooLarge): TransportException
    {
        if ($tooLarge !== null) {
            return new TransportException(\sprintf('The queue "%s" has not taken a message: %s', $this->name, $tooLarge->getMessage()), 0, $tooLarge);
        }
        try {
            Queue::open($this->name); // throws if the queue cannot be used
        } catch (StaticCacheException $error) {
            return new TransportException(\sprintf('The queue "%s" cannot be used: %s', $this->name, $error->getMessage()), 0, $error);
        }
        return new TransportException(\sprintf('The queue "%s" is full or busy; if that lasts, raise larder.queue_size, or its capacity.', $this->name));
    }

    /**
     * Acknowledges a message that get() returned, if this process still has it reserved. Deletes a message that find() or all() returned.
     *
     * @throws TransportException another worker has reserved the message since find() or all() returned it, or the queue is busy
     */
    private function end(Envelope $envelope): void
    {
        $message = $this->received($envelope);
        if ($message->isReserved()) {
            $message->ack();
        } elseif ($message->state !== 'reserved' && !$this->queue()->delete($message->id) && ($now = $this->queue()->peek($message->id)) !== null) {
            $reason = $now->state === 'reserved' ? 'another worker is handling it' : 'the queue is busy';
            throw new TransportException(\sprintf('The message %s of the queue "%s" was not removed: %s.', $message->id, $this->name, $reason));
        }
    }
}
