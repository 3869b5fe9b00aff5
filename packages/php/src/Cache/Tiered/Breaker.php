<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * Avoids calls to a server that does not answer. After a call that was slow and got no answer, all calls of the next REST seconds fail at
 * once. Only the call that releases a lock is always sent.
 *
 * @internal
 */
final class Breaker implements Server
{
    public const REST = 1.0;
    /** A call counts as slow if it lasts at least this many seconds. */
    private const LONG = 0.1;

    private float $until = 0;
    private string $why = '';

    public function __construct(private readonly Server $server) {}

    public function read(array $keys): array
    {
        return $this->ask(fn(): array => $this->server->read($keys));
    }

    public function write(array $values, int $milliseconds): void
    {
        $this->ask(function () use ($values, $milliseconds): bool {
            $this->server->write($values, $milliseconds);
            return true;
        });
    }

    public function add(string $key, string $value, int $milliseconds): bool
    {
        return $this->ask(fn(): bool => $this->server->add($key, $value, $milliseconds));
    }

    public function delete(array $keys): int
    {
        return $this->ask(fn(): int => $this->server->delete($keys));
    }

    public function deleteIf(string $key, string $value): bool
    {
        return $this->server->deleteIf($key, $value);
    }

    public function expire(string $key, int $milliseconds): bool
    {
        return $this->ask(fn(): bool => $this->server->expire($key, $milliseconds));
    }

    public function increment(string $key, int $step, int $milliseconds): ?int
    {
        return $this->ask(fn(): ?int => $this->server->increment($key, $step, $milliseconds));
    }

    public function clear(string $prefix): void
    {
        $this->ask(function () use ($prefix): bool {
            $this->server->clear($prefix);
            return true;
        });
    }

    /**
     * @template T
     * @param \Closure(): T $call
     * @return T
     */
    private function ask(\Closure $call): mixed
    {
        $start = hrtime(true) / 1e9;
        if ($start < $this->until) {
            throw new ServerUnreachable("The server is not asked, as it took long to fail: $this->why");
        }
        try {
            return $call();
        } catch (ServerUnreachable $failure) {
            $now = hrtime(true) / 1e9;
            if ($now - $start >= self::LONG) {
                $this->until = $now + self::REST;
                $this->why = $failure->getMessage();
            }
            throw $failure;
        }
    }
}
