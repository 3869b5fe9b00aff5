<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Predis\Connection\Factory;
use Predis\Connection\ParametersInterface;
use Predis\Connection\Resource\Stream;
use Predis\Connection\Resource\StreamFactory;
use Predis\Connection\Resource\StreamFactoryInterface;
use Predis\Connection\StreamConnection;
use Psr\Http\Message\StreamInterface;

/**
 * A connection whose waits have a time limit. Predis opens the connection (TLS, user, password, database). This class then reads and
 * writes RESP2 itself, which is faster than with Predis.
 *
 * @internal
 */
final class Line extends Factory implements StreamFactoryInterface
{
    private const CHUNK = 65536;

    /** @var resource */
    private $stream;
    /** Predis closes the stream when this object is destroyed. */
    private readonly StreamConnection $connection;
    /** The received bytes. The bytes before $at were parsed. */
    private string $buffer = '';
    private int $at = 0;
    /** @var list<array{int, list<mixed>}> incomplete arrays: the number of missing elements, and the elements that were read */
    private array $open = [];
    /** True if $message is a complete message. */
    private bool $here = false;
    private mixed $message = null;

    /**
     * @param string|array<string, mixed> $server an address or connection parameters, as Predis takes them
     * @param float $timeout the maximum time in seconds to connect, and to wait for each answer
     */
    public function __construct(string|array $server, private readonly float $timeout)
    {
        $this->setDefaultParameters(['timeout' => $timeout, 'read_write_timeout' => $timeout]);
        $this->connection = new StreamConnection($this->createParameters($server), $this);
        $this->prepareConnection($this->connection); // user, password, database
        $this->connection->connect();
        stream_set_blocking($this->stream, false);
        stream_set_chunk_size($this->stream, self::CHUNK);
    }

    public function createStream(ParametersInterface $parameters): StreamInterface
    {
        $stream = (new StreamFactory())->createStream($parameters)->detach();
        \is_resource($stream) || throw new ServerFailure('The connection is no stream');
        $this->stream = $stream;
        return new Stream($stream);
    }

    public function send(string ...$words): void
    {
        $text = '*' . \count($words) . "\r\n";
        foreach ($words as $word) {
            $text .= '$' . \strlen($word) . "\r\n$word\r\n";
        }
        for ($end = self::clock() + $this->timeout; $text !== '';) {
            $sent = @fwrite($this->stream, $text);
            $sent !== false && self::clock() < $end || throw new ServerFailure('The connection was lost');
            $text = substr($text, $sent);
            $text === '' || usleep(1000);
        }
    }

    /** Returns the next message: a text (perhaps an error message), an int, an array, or null. */
    public function read(): mixed
    {
        for ($end = self::clock() + $this->timeout; !$this->waits(max(0.0, $end - self::clock()));) {
            self::clock() < $end || throw new ServerFailure(\sprintf('no answer for %.1f s', $this->timeout));
        }
        $this->here = false;
        return $this->message;
    }

    /** Reads the answer to a command. Throws if the answer is not $wanted. */
    public function expect(string $wanted): void
    {
        $answer = self::text($this->read());
        $answer === $wanted || throw new ServerFailure("The server refused: $answer");
    }

    /** Waits up to $seconds for a message. Returns false if none came, or a signal interrupted the wait. */
    public function waits(float $seconds): bool
    {
        if ($this->here || $this->parse()) {
            return true;
        }
        $read = [$this->stream];
        $write = $except = [];
        if (!@stream_select($read, $write, $except, (int) $seconds, (int) (fmod($seconds, 1) * 1e6))) {
            return false;
        }
        $bytes = fread($this->stream, self::CHUNK);
        if ($bytes === '' || $bytes === false) {
            feof($this->stream) && throw new ServerFailure('The connection was lost');
            return false; // only a part of a TLS record has arrived
        }
        $this->buffer = $this->at === \strlen($this->buffer) ? $bytes : substr($this->buffer, $this->at) . $bytes;
        $this->at = 0;
        return $this->parse();
    }

    /** Returns the time (s) of a clock that cannot be set. */
    private static function clock(): float
    {
        return hrtime(true) / 1e9;
    }

    public static function text(mixed $answer): string
    {
        return \is_scalar($answer) ? (string) $answer : get_debug_type($answer);
    }

    /** Parses the bytes from $at on. Returns true if a message is complete. */
    private function parse(): bool
    {
        while (($end = strpos($this->buffer, "\r\n", $this->at)) !== false) {
            $head = substr($this->buffer, $this->at + 1, $end - $this->at - 1);
            $next = $end + 2;
            switch ($this->buffer[$this->at]) {
                case '$':
                    $length = (int) $head;
                    if ($length >= 0 && \strlen($this->buffer) < $next + $length + 2) {
                        return false;
                    }
                    $value = $length >= 0 ? substr($this->buffer, $next, $length) : null;
                    $next += $length >= 0 ? $length + 2 : 0;
                    break;
                case '*':
                    if ((int) $head > 0) {
                        $this->open[] = [(int) $head, []];
                        $this->at = $next;
                        continue 2;
                    }
                    $value = $head === '0' ? [] : null;
                    break;
                case ':':
                    $value = (int) $head;
                    break;
                case '+':
                case '-':
                    $value = $head;
                    break;
                default:
                    throw new ServerFailure('The server does not speak RESP2: ' . substr($this->buffer, $this->at, 40));
            }
            $this->at = $next;
            while ($this->open !== []) {
                [$missing, $elements] = array_pop($this->open);
                $elements[] = $value;
                if ($missing > 1) {
                    $this->open[] = [$missing - 1, $elements];
                    continue 2;
                }
                $value = $elements;
            }
            $this->message = $value;
            return $this->here = true;
        }
        return false;
    }
}
