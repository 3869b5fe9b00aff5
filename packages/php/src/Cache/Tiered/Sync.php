<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

use Larder\Pool;
use Predis\PredisException;

/**
 * The work of larder-sync: makes sure that this host's copies of a server's data are not out of date. Begin reading at lead().
 *
 * - The connection $subscriber subscribes to __redis__:invalidate. Through the connection $tracker, this process asks the server to send
 *   the invalidations of all keys with the prefix to $subscriber (RESP2).
 * - The bound is the longest time for which a stale copy may be read. To keep this bound, this process sends PINGs through $subscriber,
 *   each after the answer to the previous PING.
 * - The server may answer a PING before it sends the invalidations of the same turn of its event loop. By then, it has sent the
 *   invalidations of all earlier turns. It answers PING n in a later turn than PING n - 1. So when the answer to PING n arrives, the
 *   invalidations of all writes before the answer to PING n - 1 have arrived.
 * - Copies that still exist then were up to date when PING n - 1 was sent. They may be used for one bound after that time. The
 *   local pool gets a time to live that ends by then. So the copies end even if this process hangs.
 * - One process of a host has a lock in the store and leads. The other processes wait. A new leader may have missed invalidations before it
 *   connected, so it begins with an empty pool.
 */
final class Sync
{
    private const CHANNEL = '__redis__:invalidate';
    /** How many PINGs are sent in $bound seconds. */
    private const BEATS = 5;
    /**
     * larder-sync lets the local pool end $bound / STOPS seconds before the bound is over. So the pool ends in time, even if this process is
     * suspended for a moment while it sets the end.
     */
    private const STOPS = 20;
    private const FIRST_PAUSE = 0.05;
    private const LAST_PAUSE = 5.0;
    /** A waiting larder-sync pauses for this many seconds between two attempts to become the leader. */
    private const STANDBY = 0.05;
    /**
     * larder-sync ends when the store has refused all calls for this many seconds: the store is off, or its file is gone. A store that is
     * only busy accepts a call earlier.
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
    /** When the last PING was sent (s). */
    private ?float $sent = null;
    /** When the PING before the last PING was sent (s). */
    private ?float $before = null;
    private bool $answered = true;
    private float $until = 0;
    /** Since when the store has refused every call, or null. */
    private ?float $refused = null;
    /** @var string|array<string, mixed>|null the address of the present master */
    private string|array|null $master;
    /** @var string|array<string, mixed>|null the former master, as long as it may still act as a master */
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
     * @throws \RuntimeException the store's file was removed; a restarted process opens the new one
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
                // if lead() has begun a pool, the server was reachable, so pause only briefly
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
                        $tracker->send('PING'); // without this PING, the server may close the idle connection, which ends the tracking
                        $tracker->expect('PONG');
                    } else {
                        $count = $this->swaps($tracker);
                        // Each check calls INFO, so the number of INFO calls must have grown. If it has not, a client has reset the
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
     * Returns how many SWAPDB and INFO calls the server has counted. The server does not report a SWAPDB in any other way. Returns null if
     * this user may not read the counts.
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
        $tracker->send('INFO', 'cluster'); // if the user may not call INFO, the answer is an error, and the check passes
        if (str_contains(Line::text($tracker->read()), 'cluster_enabled:1')) {
            throw new ServerFailure('This is a node of a Redis Cluster, which tells only of its own keys: a server of its own is needed');
        }
        $tracker->send('CLIENT', 'TRACKING', 'ON', 'REDIRECT', (string) $id, 'BCAST', 'PREFIX', $this->prefix);
        $tracker->expect('OK');
        return [$subscriber, $tracker];
    }

    /**
     * Asks Sentinel for the master. Throws while the former master still calls itself a master, because workers may still read from it and
     * keep copies of its values.
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
                    $this->begin(); // the pool was too busy to remove the copy, so replace the whole pool
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
        // Now the invalidations of all writes before the previous PING have arrived (see the top of this file).
        if ($this->before === null) {
            return;
        }
        $this->until = $this->before + $this->bound;
        $token = $this->token;
        if ($token === null || !$this->endInTime(fn(float $left): bool => $this->pool->prolong($token, $left))) {
            $this->begin(); // no pool was begun, the pool has ended, or this process was stopped for too long
        }
    }

    /** Replaces the pool by an empty one, which lasts until $this->until. */
    private function begin(): void
    {
        if (!$this->endInTime(fn(float $left): bool => ($this->token = $this->pool->begin($left)) !== null)) {
            $this->drop();
        } elseif (($lease = $this->pool->lease(Tier::UP)) !== null) {
            $this->pool->fill(Tier::UP, 1, $lease);
        }
    }

    /**
     * Calls $set with the seconds after which the local pool must end. If the call takes $bound / STOPS seconds or longer, calls $set again
     * with the seconds that are left.
     *
     * @param \Closure(float): bool $set
     * @return bool false: no time is left, or $set returned false
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
        ], $state === 'leading' ? max(1.0, 2 * $this->bound) : 2 * self::LAST_PAUSE));
    }

    /**
     * Locks and unlocks a test key. Returns true if this works: then LEADER is locked by another process. Returns false if the store has
     * failed.
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
