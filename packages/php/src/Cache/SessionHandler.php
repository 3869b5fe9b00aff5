<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A handler for session_set_save_handler(): sessions are entries of a store, and end after session.gc_maxlifetime. While a request has a
 * session open, other requests wait for it, up to max_execution_time (if there is none, 30 seconds). After that the session is not opened,
 * because a change would be lost. If a request is killed, its session is free at once.
 *
 * A destroyed session leaves the value false, called an end, for a minute. So a request that saw the session before, and waited for it,
 * finds out that it was destroyed. Such a request writes nothing under the id, because that would make the id valid again. An expired
 * session is written again.
 *
 * A VolatileStore evicts sessions when memory is full.
 */
class SessionHandler implements \SessionHandlerInterface, \SessionIdInterface, \SessionUpdateTimestampHandlerInterface
{
    private const END = 60.0; // seconds for which the mark of a destroyed session (an end) is kept

    private ?string $open = null;
    /** The last id that was made. */
    private ?string $given = null;
    /** The id of a session that this handler has seen, and has not destroyed. */
    private ?string $known = null;
    /** The time of the last look-up of the session $known, from self::now(). */
    private float $looked = 0.0;
    /** True if another request has destroyed the session since the last look-up, and left a mark (an end). */
    private bool $ended = false;
    /** True if another request has destroyed the session, so nothing is written under its id. */
    private bool $gone = false;

    public function __construct(private readonly Store $store) {}

    public function open(string $path, string $name): bool
    {
        return true;
    }

    public function close(): bool
    {
        if ($this->open !== null) {
            $this->store->unlock($this->open);
            $this->open = null;
        }
        $this->forget();
        return true;
    }

    /** Makes an id as PHP does by default. It has session.sid_length characters if this PHP has that setting. */
    public function create_sid(): string
    {
        return $this->given = substr(bin2hex(random_bytes(128)), 0, (int) \ini_get('session.sid_length') ?: 32);
    }

    public function read(string $id): string|false
    {
        if ($this->open !== $id) {
            if ($this->known !== $id) { // if PHP has just validated the id, the session is known already
                $this->see($id);
            }
            if (!$this->enter($id)) {
                return false;
            }
        }
        $data = $this->store->get($id);
        if (\is_string($data)) {
            $this->know($id);
            return $data;
        }
        if ($this->known === $id && ($data === false || $this->ended || self::now() - $this->looked >= self::END / 2)) {
            $this->gone = true;
        } elseif ($id === $this->given && \ini_get('session.use_strict_mode')) {
            // a browser that returns before the session is written must keep its id, so store an empty session
            $data === false ? $this->store->set($id, '', self::lifetime()) : $this->store->add($id, '', self::lifetime());
        }
        return '';
    }

    public function write(string $id, string $data): bool
    {
        if ($this->known === $id && ($this->gone || $this->store->get($id) === false)) {
            $this->gone = true;
            return true;
        }
        return $this->store->set($id, $data, self::lifetime());
    }

    public function destroy(string $id): bool
    {
        $error = error_get_last();
        $fatal = \E_ERROR | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_USER_ERROR | \E_RECOVERABLE_ERROR;
        if ($error !== null && ($error['type'] & $fatal) !== 0 && \count(debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 2)) === 1) {
            return false; // a fatal error has interrupted PHP's decoding of the session; the program did not ask for the destruction
        }
        if ($this->known === $id) { // forget the session, so that this handler may write it again
            $this->forget();
        }
        return $this->store->set($id, false, self::END) || Removal::of($this->store, [$id]);
    }

    public function gc(int $max_lifetime): int|false
    {
        return 0; // entries end by themselves
    }

    public function validateId(string $id): bool
    {
        return $id !== '' && $this->see($id);
    }

    public function updateTimestamp(string $id, string $data): bool
    {
        // if the store has an end for a session that is not known, this handler has destroyed the session itself
        if ($this->known !== $id && $this->store->get($id) === false) {
            return $this->write($id, $data);
        }
        return $this->store->touch($id, self::lifetime()) || $this->write($id, $data);
    }

    private function forget(): void
    {
        $this->known = null;
        $this->ended = $this->gone = false;
    }

    /**
     * Remembers a session as the known one. Does nothing if the present known session was destroyed by another request: PHP may have made
     * the new id only for later use.
     */
    private function know(string $id, ?float $now = null): void
    {
        if ($this->known !== $id) {
            if ($this->gone) {
                return;
            }
            $this->known = $id;
        }
        $this->looked = $now ?? self::now();
        $this->ended = false;
    }

    /** Looks for a session before its lock is taken. Returns true if there is one. */
    private function see(string $id): bool
    {
        $now = self::now();
        if (!$this->gone) {
            $this->forget();
        }
        if (!\is_string($this->store->get($id))) {
            return false;
        }
        $this->know($id, $now);
        return true;
    }

    /**
     * Looks for the mark of a destroyed session (an end) while waiting for the session, because the mark may have expired after the wait.
     */
    private function watch(string $id): void
    {
        $now = self::now();
        $data = $this->store->get($id);
        $this->ended = $data === false || ($data === null && ($this->ended || $now - $this->looked >= self::END / 2));
        $this->looked = $now;
    }

    /** Returns the seconds of a clock that cannot be set. */
    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    private function enter(string $id): bool
    {
        if ($this->open !== null) {
            $this->store->unlock($this->open);
            $this->open = null;
        }
        $give_up = self::now() + ((int) ini_get('max_execution_time') ?: 30);
        for ($pause = 100; !$this->store->lock($id); $pause = min(2 * $pause, 10000)) {
            if (self::now() > $give_up) {
                return false;
            }
            if ($this->known === $id) {
                $this->watch($id);
            }
            usleep($pause);
        }
        $this->open = $id;
        return true;
    }

    private static function lifetime(): int
    {
        return max(1, (int) ini_get('session.gc_maxlifetime'));
    }
}
