<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\Tiered\Server;
use Larder\Cache\Tiered\ServerFailure;
use Larder\Cache\Tiered\ServerUnreachable;

/** A server of this process that can be down; nothing in it ends. */
final class ArrayServer implements Server
{
    public bool $down = false;
    /** It answers, with an error. */
    public bool $refuses = false;
    /** Seconds until either is seen. */
    public float $timeout = 0;
    /** So many reads fail, and nothing else does. */
    public int $lostReads = 0;
    /** How often it was asked. */
    public int $calls = 0;
    /** What is read is gone after it. */
    public bool $forgetful = false;
    /** Milliseconds that the last counter lasts that was made; null: none was. */
    public ?int $lasts = null;
    /** @var array<string, string> */
    private array $values = [];

    public function read(array $keys): array
    {
        $this->answer();
        $this->lostReads-- <= 0 || throw new ServerUnreachable('no answer in time');
        $found = array_intersect_key($this->values, array_flip($keys));
        $this->values = $this->forgetful ? array_diff_key($this->values, $found) : $this->values;
        return array_map(static fn(string $value): array => [$value, 0], $found);
    }

    public function write(array $values, int $milliseconds): void
    {
        $this->answer();
        $this->values = $values + $this->values;
    }

    public function add(string $key, string $value, int $milliseconds): bool
    {
        $this->answer();
        $new = !isset($this->values[$key]);
        $this->values += [$key => $value];
        return $new;
    }

    public function delete(array $keys): int
    {
        $this->answer();
        $before = \count($this->values);
        $this->values = array_diff_key($this->values, array_flip($keys));
        return $before - \count($this->values);
    }

    public function deleteIf(string $key, string $value): bool
    {
        $this->answer();
        return ($this->values[$key] ?? null) === $value && $this->delete([$key]) === 1;
    }

    public function expire(string $key, int $milliseconds): bool
    {
        $this->answer();
        return isset($this->values[$key]);
    }

    public function increment(string $key, int $step, int $milliseconds): ?int
    {
        $this->answer();
        $this->lasts = isset($this->values[$key]) ? $this->lasts : $milliseconds;
        $sum = (int) ($this->values[$key] ?? 0) + $step;
        $this->values[$key] = (string) $sum;
        return $sum;
    }

    public function clear(string $prefix): void
    {
        $this->answer();
        $this->values = array_filter($this->values, static fn(string $key): bool => !str_starts_with($key, $prefix), ARRAY_FILTER_USE_KEY);
    }

    private function answer(): void
    {
        $this->calls++;
        usleep($this->down || $this->refuses ? (int) ($this->timeout * 1e6) : 0);
        !$this->down || throw new ServerUnreachable('the server is down');
        !$this->refuses || throw new ServerFailure('OOM');
    }
}
