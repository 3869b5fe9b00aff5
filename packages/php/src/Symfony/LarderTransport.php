<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Message;
use Larder\Queue;
use Larder\StaticCacheException;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Exception\MessageDecodingFailedException;
use Symfony\Component\Messenger\Exception\TransportException;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Stamp\TransportMessageIdStamp;
use Symfony\Component\Messenger\Transport\Receiver\ListableReceiverInterface;
use Symfony\Component\Messenger\Transport\Receiver\MessageCountAwareInterface;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Transport\SetupableTransportInterface;
use Symfony\Component\Messenger\Transport\TransportInterface;

/**
 * A transport of Symfony Messenger: a queue in shared memory. A message belongs to the worker that got it; when that dies,
 * another one gets it at once.
 */
class LarderTransport implements TransportInterface, ListableReceiverInterface, MessageCountAwareInterface, SetupableTransportInterface
{
    private ?Queue $queue = null;

    /**
     * @param int $capacity messages; 0: no limit but memory
     * @param float $wait seconds that get() waits for a message
     * @param float $timeToRun seconds after which another worker gets a message; 0: not while its worker lives
     */
    public function __construct(
        private readonly string $name,
        private readonly SerializerInterface $serializer,
        private readonly int $capacity = 0,
        private readonly float $wait = 0,
        protected readonly float $timeToRun = 0,
    ) {}

    public function send(Envelope $envelope): Envelope
    {
        $encoded = $this->serializer->encode($envelope);
        $delay = $envelope->last(DelayStamp::class)?->getDelay() ?? 0;
        $priority = $envelope->last(LarderPriorityStamp::class)->priority ?? 0;
        $id = $this->queue()->push(['body' => $encoded['body'], 'headers' => $encoded['headers'] ?? []], max(0, $delay) / 1000, $priority);
        return $envelope->with(new TransportMessageIdStamp($id ?? throw $this->refused()));
    }

    /** @return iterable<Envelope> */
    public function get(): iterable
    {
        $message = $this->queue()->pop($this->wait, $this->timeToRun);
        if ($message === null) {
            return [];
        }
        try {
            return [$this->envelope($message)];
        } catch (MessageDecodingFailedException $exception) {
            $message->ack(); // nobody ever can
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

    /** @return iterable<Envelope> */
    public function all(?int $limit = null): iterable
    {
        foreach ($this->queue()->list($limit ?? 0) as $message) {
            yield $this->envelope($message);
        }
    }

    public function find(mixed $id): ?Envelope
    {
        $message = \is_scalar($id) ? $this->queue()->peek((string) $id) : null;
        return $message !== null ? $this->envelope($message) : null;
    }

    /** Those that wait, also for their time to come. */
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
        \extension_loaded('larder') || throw new ExtensionMissing();
        return $this->queue ??= Queue::open($this->name, $this->capacity);
    }

    private function envelope(Message $message): Envelope
    {
        $body = $message->body;
        if (!\is_array($body) || !isset($body['body'])) {
            throw new MessageDecodingFailedException(\sprintf('Message %s of the queue "%s" was not sent by Messenger.', $message->id, $this->name));
        }
        return $this->serializer->decode($body)->withoutAll(TransportMessageIdStamp::class)
            ->with(new LarderReceivedStamp($message), new TransportMessageIdStamp($message->id));
    }

    /** Why the queue has not taken a message. */
    private function refused(): TransportException
    {
        try {
            Queue::open($this->name); // throws where it is not for want of room
        } catch (StaticCacheException $error) {
            return new TransportException(\sprintf('The queue "%s" cannot be used: %s', $this->name, $error->getMessage()), 0, $error);
        }
        return new TransportException(\sprintf('The queue "%s" is full or busy; if that lasts, raise larder.queue_size, or its capacity.', $this->name));
    }

    /** What find() and all() gave is not reserved. */
    private function end(Envelope $envelope): void
    {
        $message = $this->received($envelope);
        if ($message->isReserved()) {
            $message->ack();
        } elseif ($message->state !== 'reserved') {
            $this->queue()->delete($message->id);
        }
    }
}
