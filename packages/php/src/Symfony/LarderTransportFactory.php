<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Psr\Log\LoggerInterface;
use Symfony\Component\Messenger\Exception\InvalidArgumentException;
use Symfony\Component\Messenger\Transport\Receiver\KeepaliveReceiverInterface;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Transport\TransportFactoryInterface;
use Symfony\Component\Messenger\Transport\TransportInterface;

/**
 * Makes transports for `larder://NAME`, the queue with this name. The options may also be in the DSN: `capacity` (maximum number of
 * messages; 0: no limit except memory), `wait` (seconds that a worker waits for a message; 0: none), and `time_to_run` (seconds; 0: no
 * limit).
 *
 * @implements TransportFactoryInterface<LarderTransport>
 */
final class LarderTransportFactory implements TransportFactoryInterface
{
    private const OPTIONS = ['capacity' => 0, 'wait' => 0.0, 'time_to_run' => 0.0];

    public function __construct(private readonly ?LoggerInterface $logger = null) {}

    /** @param array<mixed> $options */
    public function createTransport(string $dsn, array $options, SerializerInterface $serializer): TransportInterface
    {
        $parts = parse_url($dsn);
        $name = \is_array($parts) ? rawurldecode(($parts['host'] ?? '') . ($parts['path'] ?? '')) : '';
        if (!\is_array($parts) || $name === '' || \strlen($name) > 200 || array_diff_key($parts, ['scheme' => 0, 'host' => 0, 'path' => 0, 'query' => 0]) !== []) {
            throw new InvalidArgumentException(\sprintf('The DSN "%s" must be "larder://NAME", with a name of up to 200 bytes.', $dsn));
        }
        parse_str($parts['query'] ?? '', $query);
        unset($options['transport_name']);
        $given = $query + $options;
        if ($unknown = array_diff_key($given, self::OPTIONS)) {
            throw new InvalidArgumentException(\sprintf('"%s" is no option of a Larder transport; there are "%s".', array_key_first($unknown), implode('", "', array_keys(self::OPTIONS))));
        }
        foreach ($given as $option => $value) {
            if (!is_numeric($value) || $value < 0 || !is_finite((float) $value)) {
                throw new InvalidArgumentException(\sprintf('The option "%s" must be a number from 0 on.', $option));
            }
        }
        $values = $given + self::OPTIONS;
        $class = interface_exists(KeepaliveReceiverInterface::class) ? LarderKeepaliveTransport::class : LarderTransport::class;
        return new $class($name, $serializer, (int) $values['capacity'], (float) $values['wait'], (float) $values['time_to_run'], $this->logger);
    }

    /** @param array<mixed> $options */
    public function supports(string $dsn, array $options): bool
    {
        return str_starts_with($dsn, 'larder://');
    }
}
