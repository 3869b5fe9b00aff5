<?php

/* Declarations of Symfony Messenger for PHPStan; the tests do not install it. */

declare(strict_types=1);

namespace Symfony\Component\Messenger {
    use Symfony\Component\Messenger\Stamp\StampInterface;

    final class Envelope
    {
        /** @param array<StampInterface> $stamps */
        public function __construct(object $message, array $stamps = []) {}

        public function with(StampInterface ...$stamps): static {}

        public function withoutAll(string $stampFqcn): static {}

        /**
         * @template T of StampInterface
         * @param class-string<T> $stampFqcn
         * @return T|null
         */
        public function last(string $stampFqcn): ?StampInterface {}

        public function getMessage(): object {}
    }
}

namespace Symfony\Component\Messenger\Event {
    final class WorkerMessageReceivedEvent {}

    final class WorkerMessageHandledEvent {}

    final class WorkerMessageFailedEvent {}
}

namespace Symfony\Component\Messenger\Exception {
    interface ExceptionInterface extends \Throwable {}

    class RuntimeException extends \RuntimeException implements ExceptionInterface {}

    class InvalidArgumentException extends \InvalidArgumentException implements ExceptionInterface {}

    class TransportException extends RuntimeException {}

    class MessageDecodingFailedException extends InvalidArgumentException {}
}

namespace Symfony\Component\Messenger\Stamp {
    interface StampInterface {}

    interface NonSendableStampInterface extends StampInterface {}

    final class DelayStamp implements StampInterface
    {
        public function __construct(private int $delay) {}

        public function getDelay(): int {}
    }

    final class RedeliveryStamp implements StampInterface
    {
        public function __construct(private int $retryCount) {}

        public function getRetryCount(): int {}
    }

    final class TransportMessageIdStamp implements StampInterface
    {
        public function __construct(private mixed $id) {}

        public function getId(): mixed {}
    }
}

namespace Symfony\Component\Messenger\Transport\Serialization {
    use Symfony\Component\Messenger\Envelope;

    interface SerializerInterface
    {
        /** @param array<mixed> $encodedEnvelope */
        public function decode(array $encodedEnvelope): Envelope;

        /** @return array<mixed> */
        public function encode(Envelope $envelope): array;
    }
}

namespace Symfony\Component\Messenger\Transport\Sender {
    use Symfony\Component\Messenger\Envelope;

    interface SenderInterface
    {
        public function send(Envelope $envelope): Envelope;
    }
}

namespace Symfony\Component\Messenger\Transport\Receiver {
    use Symfony\Component\Messenger\Envelope;

    interface ReceiverInterface
    {
        /** @return iterable<Envelope> */
        public function get(): iterable;

        public function ack(Envelope $envelope): void;

        public function reject(Envelope $envelope): void;
    }

    interface ListableReceiverInterface extends ReceiverInterface
    {
        /** @return iterable<Envelope> */
        public function all(?int $limit = null): iterable;

        public function find(mixed $id): ?Envelope;
    }

    interface MessageCountAwareInterface
    {
        public function getMessageCount(): int;
    }

    interface KeepaliveReceiverInterface extends ReceiverInterface
    {
        public function keepalive(Envelope $envelope, ?int $seconds = null): void;
    }
}

namespace Symfony\Component\Messenger\Transport {
    use Symfony\Component\Messenger\Transport\Receiver\ReceiverInterface;
    use Symfony\Component\Messenger\Transport\Sender\SenderInterface;
    use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;

    interface TransportInterface extends ReceiverInterface, SenderInterface {}

    interface SetupableTransportInterface
    {
        public function setup(): void;
    }

    /** @template-covariant TTransport of TransportInterface */
    interface TransportFactoryInterface
    {
        /** @param array<mixed> $options */
        public function createTransport(#[\SensitiveParameter] string $dsn, array $options, SerializerInterface $serializer): TransportInterface;

        /** @param array<mixed> $options */
        public function supports(#[\SensitiveParameter] string $dsn, array $options): bool;
    }
}
