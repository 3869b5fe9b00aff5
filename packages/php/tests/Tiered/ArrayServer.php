<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\Tiered\Server;
use Larder\Cache\Tiered\ServerFailure;
use Larder\Cache\Tiered\ServerUnreachable;

/** A fake server in the memory of this process. It can be down. Its entries do not expire. */
final class ArrayServer implements Server
{
    public bool $down = false;
    /** True: the server answers each call with an error. */
    public bool $refuses = false;
    /** Seconds that a call takes to fail. */
    public float $timeout = 0;
    /** Seconds that the server takes to answer a read. */
    public float $late = 0;
    /** How many of the next reads fail. Other calls do not fail. */
    public int $lostReads = 0;
    public int $calls = 0;
    /** True: a read also removes the entries that it returns. */
    public bool $forgetful = false;
    /** The time to live (ms) that increment() gave to the last new key, or null. */
    public ?int $lasts = null;
    /** The server's clock in seconds, or null for the machine's. */
    public ?float $now = null;
    /** @var array<string, string> */
    private array $values = [];
    /** @var array<string, float> when each entry with a time to live ends */
    private array $ends = [];

    public function read(array $keys): array
    {
        $this->answer();
        $this->lostReads-- <= 0 || throw new ServerUnreachable('no answer in time');
        $found = array_intersect_key($this->values, array_flip($keys));
        $this->values = $this->forgetful ? array_diff_key($this->values, $found) : $this->values;
        $left = fn(string $key): int => isset($this->ends[$key]) ? max(1, (int) (1000 * ($this->ends[$key] - $this->time()))) : 0;
        $answer = array_combine(array_keys($found), array_map(static fn(string $key, string $value): array => [$value, $left($key)], array_keys($found), $found));
        usleep((int) ($this->late * 1e6));
        return $answer;
    }

    public function write(array $values, int $milliseconds): void
    {
        $this->answer();
        $this->values = $values + $this->values;
        $this->ends = $milliseconds > 0 ? array_fill_keys(array_keys($values), $this->time() + $milliseconds / 1000) + $this->ends : array_diff_key($this->ends, $values);
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

    private function time(): float
    {
        return $this->now ?? hrtime(true) / 1e9;
    }

    private function answer(): void
    {
        $this->calls++;
        $ended = array_filter($this->ends, fn(float $end): bool => $end <= $this->time());
        $this->values = array_diff_key($this->values, $ended);
        $this->ends = array_diff_key($this->ends, $ended);
        usleep($this->down || $this->refuses ? (int) ($this->timeout * 1e6) : 0);
        !$this->down || throw new ServerUnreachable('the server is down');
        !$this->refuses || throw new ServerFailure('OOM');
    }
}
