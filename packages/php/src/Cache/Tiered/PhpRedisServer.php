<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * Calls the server through the extension phpredis, without a prefix, a serializer or compression. Connects at the first call, and again
 * after a loss.
 */
final class PhpRedisServer implements Server
{
    private ?\Redis $redis = null;

    /** Options that change keys or values, with the value that turns each off. */
    private const OPTIONS = ['OPT_PREFIX' => '', 'OPT_SERIALIZER' => 0, 'OPT_COMPRESSION' => 0];

    /**
     * Calls throw ConnectionUnusable if the connection has an option that changes keys or values.
     *
     * @param \Closure(): \Redis $connect returns a connection with user and database
     */
    public function __construct(private readonly \Closure $connect)
    {
        \extension_loaded('redis') || throw new ServerFailure('The extension redis is not loaded: load it, or use PredisServer');
    }

    /** @param float $timeout the maximum time in seconds to connect, and to wait for each answer */
    public static function at(string $host = '127.0.0.1', int $port = 6379, float $timeout = 1.0, ?string $password = null, int $database = 0): self
    {
        return new self(static function () use ($host, $port, $timeout, $password, $database): \Redis {
            $redis = new \Redis();
            @$redis->connect($host, $port, $timeout, null, 0, $timeout); // for an unknown host, connect() warns and throws
            if ($password !== null) {
                $redis->auth($password);
            }
            if ($database !== 0) {
                $redis->select($database);
            }
            return $redis;
        });
    }

    public function read(array $keys): array
    {
        $answer = $this->pipeline(2 * \count($keys), static function (\Redis $pipeline) use ($keys): void {
            foreach ($keys as $key) {
                $pipeline->get($key);
                $pipeline->pttl($key);
            }
        });
        $found = [];
        foreach ($keys as $i => $key) {
            if (\is_string($answer[2 * $i])) {
                $found[$key] = [$answer[2 * $i], self::left(\is_int($answer[2 * $i + 1]) ? $answer[2 * $i + 1] : 0)];
            }
        }
        return $found;
    }

    public function write(array $values, int $milliseconds): void
    {
        $answer = $this->pipeline(\count($values), static function (\Redis $pipeline) use ($values, $milliseconds): void {
            foreach ($values as $key => $value) {
                $pipeline->set((string) $key, $value, $milliseconds > 0 ? ['px' => $milliseconds] : []);
            }
        });
        !\in_array(false, $answer, true) || throw new ServerFailure('The server refused a write');
    }

    public function add(string $key, string $value, int $milliseconds): bool
    {
        return (bool) $this->call(static fn(\Redis $redis): mixed => $redis->set($key, $value, $milliseconds > 0 ? ['nx', 'px' => $milliseconds] : ['nx']));
    }

    public function delete(array $keys): int
    {
        $count = $this->call(static fn(\Redis $redis): mixed => $redis->unlink($keys));
        return \is_int($count) ? $count : 0;
    }

    public function deleteIf(string $key, string $value): bool
    {
        return (bool) $this->call(static fn(\Redis $redis): mixed => $redis->eval(Scripts::DELETE_IF, [$key, $value], 1));
    }

    public function expire(string $key, int $milliseconds): bool
    {
        return (bool) $this->call(static function (\Redis $redis) use ($key, $milliseconds): mixed {
            if ($milliseconds > 0) {
                return $redis->pexpire($key, $milliseconds);
            }
            return $redis->persist($key) || $redis->exists($key);
        });
    }

    public function increment(string $key, int $step, int $milliseconds): ?int
    {
        $sum = $this->call(static fn(\Redis $redis): mixed => $redis->eval(Scripts::INCREMENT, [$key, (string) $step, (string) $milliseconds], 1));
        return \is_string($sum) ? (int) $sum : null;
    }

    public function clear(string $prefix): void
    {
        $this->call(static function (\Redis $redis) use ($prefix): bool {
            $cursor = '0';
            do { // use rawCommand(), because Redis::scan() would hide an error of the server
                $answer = $redis->rawCommand('SCAN', $cursor, 'MATCH', Scripts::pattern($prefix), 'COUNT', '1000');
                if (!\is_array($answer) || !\is_array($answer[1] ?? null)) {
                    throw new \RedisException($redis->getLastError() ?? 'SCAN gave no keys');
                }
                $cursor = Line::text($answer[0] ?? 0);
                $keys = array_values(array_filter($answer[1], \is_string(...)));
                $keys === [] || $redis->unlink($keys);
            } while ($cursor !== '0');
            return true;
        });
    }

    private static function check(\Redis $redis): void
    {
        foreach (self::OPTIONS as $option => $none) {
            if (\defined("Redis::$option") && ($value = $redis->getOption(\constant("Redis::$option")) ?: $none) !== $none) {
                throw new ConnectionUnusable(\sprintf(
                    'The connection has Redis::%s = %s, which changes %s: give PhpRedisServer a connection of its own without it',
                    $option,
                    var_export($value, true),
                    $option === 'OPT_PREFIX' ? 'keys' : 'values',
                ));
            }
        }
        $redis->getMode() === \Redis::ATOMIC || throw new ConnectionUnusable('The connection is inside multi() or pipeline(): give PhpRedisServer a connection of its own');
    }

    /** Converts an answer of PTTL (ms; -1: no limit, 0: less than 1 ms) to a time to live (ms; 0: no limit). */
    private static function left(int $answer): int
    {
        return $answer < 0 ? 0 : max(1, $answer);
    }

    /**
     * Makes several calls in one round trip. After a lost connection, phpredis 5 may answer only the first call. Then this function makes
     * all calls again, so pass only calls that may be repeated.
     *
     * @param \Closure(\Redis): void $fill
     * @return list<mixed>
     */
    private function pipeline(int $count, \Closure $fill): array
    {
        for ($try = 0; $try < 2; $try++) {
            $answer = $this->call(static function (\Redis $redis) use ($fill): mixed {
                $fill($redis->pipeline());
                return $redis->exec();
            });
            if (\is_array($answer) && \count($answer) === $count) {
                return array_values($answer);
            }
            $this->redis = null;
        }
        throw new ServerUnreachable('The connection was lost');
    }

    /** @param \Closure(\Redis): mixed $call */
    private function call(\Closure $call): mixed
    {
        try {
            $redis = $this->redis ??= ($this->connect)();
            self::check($redis); // other code may change the options at any time
            $answer = $call($redis);
            $error = $redis->getLastError();
            if (\is_string($error)) {
                $redis->clearLastError();
                throw new \RedisException($error);
            }
        } catch (\RedisException $error) {
            $this->redis = null;
            // phpredis throws RedisException for its own and the server's errors. Only the server's messages begin with a word in capitals.
            throw preg_match('/^[A-Z][A-Z\d]+ /', $error->getMessage()) === 1
                ? new ServerFailure($error->getMessage(), 0, $error)
                : new ServerUnreachable($error->getMessage(), 0, $error);
        }
        return $answer;
    }
}
