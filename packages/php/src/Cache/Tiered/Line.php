<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Predis\Command\RawCommand;
use Predis\Connection\Factory;
use Predis\Connection\NodeConnectionInterface;
use Predis\Connection\ParametersInterface;
use Predis\Connection\Resource\Stream;
use Predis\Connection\Resource\StreamFactory;
use Predis\Connection\Resource\StreamFactoryInterface;
use Predis\Connection\StreamConnection;
use Psr\Http\Message\StreamInterface;

/**
 * A connection of Predis that is spoken to line by line, and can be waited for: Predis itself only reads until
 * something comes.
 *
 * @internal
 */
final class Line extends Factory implements StreamFactoryInterface
{
    private readonly NodeConnectionInterface $connection;
    /** @var resource */
    private $stream;

    /** @param string|array<string, mixed> $server as Predis takes them */
    public function __construct(string|array $server, float $timeout)
    {
        $this->setDefaultParameters(['timeout' => $timeout, 'read_write_timeout' => $timeout]);
        $this->connection = new StreamConnection($this->createParameters($server), $this);
        $this->prepareConnection($this->connection); // user, password, database
        $this->connection->connect();
    }

    public function createStream(ParametersInterface $parameters): StreamInterface
    {
        $stream = (new StreamFactory())->createStream($parameters)->detach();
        \is_resource($stream) || throw new ServerFailure('The connection is no stream');
        $this->stream = $stream;
        return new Stream($stream);
    }

    public function send(string $command, string ...$arguments): void
    {
        $this->connection->writeRequest(new RawCommand($command, $arguments));
    }

    public function read(): mixed
    {
        return $this->connection->read();
    }

    /** The answer to a command, which is to be $wanted. */
    public function expect(string $wanted): void
    {
        $answer = self::text($this->read());
        $answer === $wanted || throw new ServerFailure("The server refused: $answer");
    }

    /** Whether there is something to read, within so many seconds. */
    public function waits(float $seconds): bool
    {
        $read = [$this->stream];
        $write = $except = [];
        // False where a signal came.
        return (bool) @stream_select($read, $write, $except, (int) $seconds, (int) (fmod($seconds, 1) * 1e6));
    }

    public static function text(mixed $answer): string
    {
        return $answer instanceof \Stringable || \is_scalar($answer) ? (string) $answer : get_debug_type($answer);
    }
}
