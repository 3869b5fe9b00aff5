<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Larder\Pool;
use Predis\PredisException;

/**
 * The work of larder-sync: makes sure that this host's copies of a server's data are not out of date. Begin reading at lead().
 *
 * There are two connections. The first one subscribes to __redis__:invalidate. Through the second one, this process asks the server to
 * track all keys with the prefix, and to send invalidations to the first one. Redis 6 and Valkey speak this protocol over RESP2.
 *
 * The bound is the longest time for which a stale copy may be read. To keep the bound, this process sends PINGs through the first
 * connection, each one after the answer to the previous one. In one turn of its event loop, the server may answer a PING before it sends
 * the invalidations of this turn. But by then it has sent the invalidations of all earlier turns. PING n is answered in a later turn than
 * PING n - 1. So when its answer arrives, the invalidations of all writes before the answer to PING n - 1 have arrived, too. All copies
 * that remain were up to date when this process sent PING n - 1. So this process permits the use of the copies until one bound after that
 * time. The permission is a record in the local pool, with a time to live; without the record, no copy is used. So the permission ends even
 * if this process, the server or the network hangs.
 *
 * One process of a host leads. The leader has a lock in the store. This lock ends with the process. The other processes wait. A leader that
 * is new, or has connected again, begins with an empty pool, because it may have missed invalidations.
 */
final class Sync
{
    private const CHANNEL = '__redis__:invalidate';
    /** How many PINGs this process sends in $bound seconds. */
    private const BEATS = 5;
    /**
     * The record expires earlier than it must, by a margin of $bound / STOPS. While it stores the record, this process may be
     * suspended for any time below the margin: the record still ends in time, and no copy is used after the bound.
     */
    private const STOPS = 20;
    private const FIRST_PAUSE = 0.05;
    private const LAST_PAUSE = 5.0;
    /** How many seconds pass between two checks whether the leader is alive. */
    private const STANDBY = 0.05;
    /**
     * larder-sync ends when the store has refused all calls for this many seconds. A shorter failure is normal: a stopped process may keep
     * a part of the store busy.
     */
    private const REFUSED = 1.0;

    private readonly Pool $pool;
    private readonly Pool $report;
    private bool $stopped = false;
    private int $invalidations = 0;
    private int $flushes = 0;
    private int $connections = 0;
    private int $failures = 0;
    /** How many seconds passed between the last PING and its answer. */
    private float $lag = 0;
    private string $lastError = '';
    private ?string $token = null;
    /** The time (s) when the last PING was sent. $before: the time of the PING before that one. */
    private ?float $sent = null;
    private ?float $before = null;
    private bool $answered = true;
    private float $until = 0;
    /** The store has refused every call since this time. null if the last call succeeded. */
    private ?float $refused = null;
    /** @var string|array<string, mixed>|null the address of the present master */
    private string|array|null $master;
    /** @var string|array<string, mixed>|null the former master, while that server may still take itself for the master */
    private string|array|null $former = null;

    /**
     * $server is an address such as "tcp://127.0.0.1:6379", "unix:/run/redis.sock" or "tls://user:password@host:6379", an array of
     * connection parameters for Predis, or a Sentinel that finds the server.
     *
     * @param string|array<string, mixed>|Sentinel $server
     * @param float $bound the maximum number of seconds for which a stale value may be read
     * @param \Closure(string): void $log
     */
    public function __construct(
        private readonly string|array|Sentinel $server,
        private readonly string $name,
        private readonly string $prefix,
        private readonly float $bound = 1.0,
        private readonly ?\Closure $log = null,
    ) {
        $this->master = $server instanceof Sentinel ? null : $server;
        $bound >= 0.05 || throw new \ValueError('The bound must be at least 0.05 seconds');
        $this->pool = Tier::pool($name, $prefix);
        $this->report = Tier::report($name);
    }

    /** Makes run() return soon. May be called from a signal handler. */
    public function stop(): void
    {
        $this->stopped = true;
    }

    /**
     * Waits until this process may lead, and then leads. Returns after stop().
     *
     * @throws \RuntimeException the store's file was removed; a restarted process opens the file that then has this name
     */
    public function run(): void
    {
        $pause = self::FIRST_PAUSE;
        while (!$this->stopped) {
            if (!$this->pool->lock(Tier::LEADER)) {
                $this->hasStore($this->mayLock());
                usleep((int) (self::STANDBY * 1e6));
                continue;
            }
            try {
                $this->lead();
            } catch (PredisException|ServerFailure $error) {
                $this->failures++;
                $this->lastError = $error->getMessage();
                $this->log('failed: ' . $error->getMessage());
            } finally {
                // if lead() has begun a pool, the server was reachable, so try again after a short pause
                $pause = $this->token !== null ? self::FIRST_PAUSE : $pause;
                $this->end();
                $this->pool->unlock(Tier::LEADER);
            }
            if (!$this->stopped) {
                usleep((int) ($pause * (0.5 + mt_rand() / mt_getrandmax()) * 1e6));
                $pause = min(self::LAST_PAUSE, $pause * 2);
            }
        }
        $this->say('stopped');
    }

    private function lead(): void
    {
        [$subscriber, $tracker] = $this->connect();
        $swaps = $this->swaps($tracker);
        $this->say('leading');
        $this->sent = $this->before = null;
        $this->answered = true;
        for ($next = self::now(); !$this->stopped;) {
            $message = $this->receive($subscriber, max(0.0, $next - self::now()));
            if ($message === 'PONG') {
                $this->vouch();
            } elseif (\is_array($message)) {
                $this->invalidate($message);
            }
            $now = self::now();
            if (!$this->answered && $message === null && $now - $this->sent > 2 * $this->bound) {
                throw new ServerFailure(\sprintf('no answer for %.1f s', $now - $this->sent));
            }
            if ($now >= $next) {
                if ($this->answered) {
                    if ($this->server instanceof Sentinel && $this->server->master($this->timeout()) !== $this->master) {
                        throw new ServerFailure('another server is the master now');
                    }
                    if ($swaps === null) {
                        $tracker->send('PING'); // the server may close an idle connection, and would then stop tracking
                        $tracker->expect('PONG');
                    } else {
                        $count = $this->swaps($tracker);
                        // swaps() itself calls INFO. So if the server's count of INFO calls has not risen, a client has reset the
                        // statistics (CONFIG RESETSTAT), and we may have missed a SWAPDB.
                        if ($count === null || $count[0] !== $swaps[0] || $count[1] <= $swaps[1]) {
                            $this->flushes++;
                            $this->begin();
                        }
                        $swaps = $count;
                    }
                    $this->before = $this->sent;
                    $this->sent = self::now();
                    $this->answered = false;
                    $subscriber->send('PING');
                }
                $next = $now + $this->bound / self::BEATS;
                $this->say('leading');
            }
        }
    }

    /**
     * Returns how many SWAPDB and INFO calls the server has counted. We need these numbers to notice a SWAPDB, because the server does not
     * report it to clients that track keys. Returns null if this user is not allowed to read the numbers.
     *
     * @return array{int, int}|null
     */
    private function swaps(Line $tracker): ?array
    {
        $tracker->send('INFO', 'commandstats');
        $text = Line::text($tracker->read());
        if (!str_starts_with($text, '#')) {
            return null;
        }
        $calls = static fn(string $command): int => preg_match("/^cmdstat_$command:calls=(\\d+)/m", $text, $found) === 1 ? (int) $found[1] : 0;
        return [$calls('swapdb'), $calls('info')];
    }

    /** @return array{Line, Line} */
    private function connect(): array
    {
        $this->connections++;
        $timeout = $this->timeout();
        if ($this->server instanceof Sentinel) {
            $this->find($this->server);
        }
        $subscriber = new Line($this->master ?? '', $timeout);
        if ($this->server instanceof Sentinel && !$this->isMaster($subscriber)) {
            throw new ServerFailure('the server that the Sentinels name is no master yet');
        }
        $subscriber->send('CLIENT', 'ID');
        $id = $subscriber->read();
        if (!\is_int($id)) {
            throw new ServerFailure('CLIENT ID gave no number, as Redis 6 and Valkey do: ' . Line::text($id));
        }
        $subscriber->send('SUBSCRIBE', self::CHANNEL);
        $answer = $subscriber->read();
        if (!\is_array($answer) || ($answer[0] ?? null) !== 'subscribe') {
            throw new ServerFailure('SUBSCRIBE was refused: ' . Line::text($answer));
        }
        $tracker = new Line($this->master ?? '', $timeout);
        $tracker->send('INFO', 'cluster'); // if this user is not allowed to use INFO, the server is assumed not to be in a cluster
        if (str_contains(Line::text($tracker->read()), 'cluster_enabled:1')) {
            throw new ServerFailure('This is a node of a Redis Cluster, which tells only of its own keys: a server of its own is needed');
        }
        $tracker->send('CLIENT', 'TRACKING', 'ON', 'REDIRECT', (string) $id, 'BCAST', 'PREFIX', $this->prefix);
        $tracker->expect('OK');
        return [$subscriber, $tracker];
    }

    /**
     * Asks Sentinel for the master. Throws while the former master is still a master: workers may be connected to it and keep copies of its
     * old values.
     */
    private function find(Sentinel $sentinel): void
    {
        $master = $sentinel->master($this->timeout());
        if ($this->master !== $master) {
            $this->former = $this->master;
            $this->master = $master;
        }
        try {
            $lives = $this->former !== null && $this->isMaster(new Line($this->former, $this->timeout()));
        } catch (PredisException|ServerFailure) {
            $lives = false;
        }
        !$lives || throw new ServerFailure('the former master has not become a replica yet');
        $this->former = null;
    }

    private function isMaster(Line $line): bool
    {
        $line->send('ROLE');
        $role = $line->read();
        return \is_array($role) && ($role[0] ?? null) === 'master';
    }

    private function timeout(): float
    {
        return max(0.5, 2 * $this->bound);
    }

    /** @return 'PONG'|list<mixed>|null null: no message came in time */
    private function receive(Line $subscriber, float $seconds): string|array|null
    {
        if (!$subscriber->waits($seconds)) {
            return null;
        }
        $message = $subscriber->read();
        if (!\is_array($message)) {
            throw new ServerFailure('unexpected: ' . Line::text($message));
        }
        return ($message[0] ?? null) === 'pong' ? 'PONG' : array_values($message);
    }

    /** @param list<mixed> $message a message in the form in which subscribers get it */
    private function invalidate(array $message): void
    {
        if (($message[0] ?? null) !== 'message' || ($message[1] ?? null) !== self::CHANNEL) {
            return;
        }
        $keys = $message[2] ?? null;
        if (!\is_array($keys)) { // FLUSHALL, FLUSHDB
            $this->flushes++;
            $this->begin();
            return;
        }
        $length = \strlen($this->prefix);
        foreach ($keys as $key) {
            $key = \is_string($key) ? substr($key, $length) : '';
            if (Tier::takes($key)) { // skip keys that the pool cannot contain
                $this->invalidations++;
                if (!$this->pool->invalidate($key)) {
                    $this->begin(); // the pool was too busy to remove its copy of the key, so replace the whole pool
                }
            }
        }
    }

    /** Handles the answer to a PING. */
    private function vouch(): void
    {
        $now = self::now();
        $this->answered = true;
        $this->lag = round($now - $this->sent, 6);
        // This answer proves that the invalidations of all writes before the previous PING have arrived (see the top of this file). So
        // copies may be used until one bound after that PING was sent.
        if ($this->before === null) {
            return;
        }
        $this->until = $this->before + $this->bound;
        $token = $this->token;
        if ($token === null || !$this->endInTime(fn(float $left): bool => $this->pool->prolong($token, $left))) {
            $this->begin(); // the record has expired, or was evicted or cleared, or this process was stopped for too long
        }
    }

    /** Replaces the pool by an empty one, which lasts until $this->until. Each answer to a PING extends this time. */
    private function begin(): void
    {
        if (!$this->endInTime(fn(float $left): bool => ($this->token = $this->pool->begin($left)) !== null)) {
            $this->drop();
        } elseif (($lease = $this->pool->lease(Tier::UP)) !== null) {
            $this->pool->fill(Tier::UP, 1, $lease);
        }
    }

    /**
     * Calls $set with the number of seconds until the record must end; $set gives the record this time to live. A slow $set makes the
     * record end too late. In that case, this method calls $set again, with the time that is left.
     *
     * @param \Closure(float): bool $set
     * @return bool false: no time is left, or the closure returned false
     */
    private function endInTime(\Closure $set): bool
    {
        $stop = $this->bound / self::STOPS;
        do {
            $begun = self::now();
            $left = $this->until - $stop - $begun;
            if ($left <= 0 || !$set($left)) {
                return false;
            }
        } while (self::now() - $begun >= $stop);
        return true;
    }

    private function drop(): void
    {
        $this->token = null;
        $this->pool->begin(0.001);
    }

    /** Stops vouching for this host's copies, so that all reads go to the server. */
    private function end(): void
    {
        if ($this->token !== null) {
            $this->drop();
        }
        $this->say('not connected');
    }

    private function say(string $state): void
    {
        $this->hasStore($this->report->set('report', [
            'state' => $state,
            'prefix' => $this->prefix,
            'pid' => getmypid(),
            'bound' => $this->bound,
            'lag' => $this->lag,
            'invalidations' => $this->invalidations,
            'flushes' => $this->flushes,
            'connections' => $this->connections,
            'failures' => $this->failures,
            'last_error' => $this->lastError,
            'at' => time(),
        ], $state === 'leading' ? max(1.0, 2 * $this->bound) : 2 * self::LAST_PAUSE)); // the report expires if no process replaces it
    }

    /**
     * Returns true if the store can lock keys. Call this after this process has failed to lock LEADER. If the result is true, the store
     * works, and another process has locked LEADER.
     */
    private function mayLock(): bool
    {
        $key = "\0standby" . getmypid();
        return $this->pool->lock($key) && $this->pool->unlock($key);
    }

    private function hasStore(bool $did): void
    {
        $this->refused = $did ? null : $this->refused ?? self::now();
        if ($this->refused !== null && self::now() - $this->refused > self::REFUSED) {
            throw new \RuntimeException('the store of this host is off, or its file was removed or replaced');
        }
    }

    private function log(string $text): void
    {
        if ($this->log !== null) {
            ($this->log)($text);
        }
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
