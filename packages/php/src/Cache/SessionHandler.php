<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A handler for session_set_save_handler(). Sessions are entries of a store, and end after session.gc_maxlifetime.
 *
 * - While a request has a session open, other requests wait, up to max_execution_time (or 30 seconds without a limit). After that time,
 *   read() fails. If a request is killed, other requests can open its session immediately.
 * - destroy() replaces the session by the value false for a minute. This value marks the session as destroyed. A request that has waited
 *   for the session then does not write it, because that would make the id valid again.
 * - A VolatileStore evicts sessions when memory is full.
 */
class SessionHandler implements \SessionHandlerInterface, \SessionIdInterface, \SessionUpdateTimestampHandlerInterface
{
    private const END = 60.0; // how many seconds the mark of a destroyed session stays

    private ?string $open = null;
    /** The last id that create_sid() has made. */
    private ?string $given = null;
    /** The id of the known session, or null. A session is known if this handler has found it in the store, and has not destroyed it. */
    private ?string $known = null;
    /** The time, by now(), of the last look-up of the known session. */
    private float $looked = 0.0;
    /** True if the known session is marked as destroyed, or if it is missing and the mark may have expired. */
    private bool $ended = false;
    /** True if read() or write() has decided that the known session was destroyed. write() then writes nothing. */
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

    /** Returns a random id of session.sid_length characters, or of 32 characters if PHP does not have this setting. */
    public function create_sid(): string
    {
        return $this->given = substr(bin2hex(random_bytes(128)), 0, (int) \ini_get('session.sid_length') ?: 32);
    }

    public function read(string $id): string|false
    {
        if ($this->open !== $id) {
            if ($this->known !== $id) { // usually, validateId() has already called see()
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
            // Store the id at once: the browser may send it back before write() is called.
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

    /**
     * Deletes a session, but does not mark it as destroyed. So a request that waits for the session will write it again. If the session is
     * already marked as destroyed, the mark stays.
     */
    protected function discard(string $id): bool
    {
        return $this->store->get($id) === false || Removal::of($this->store, [$id]);
    }

    public function destroy(string $id): bool
    {
        $error = error_get_last();
        $fatal = \E_ERROR | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_USER_ERROR | \E_RECOVERABLE_ERROR;
        if ($error !== null && ($error['type'] & $fatal) !== 0 && array_diff(array_column(debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS), 'function'), ['destroy']) === []) {
            return false; // keep the session: PHP has called destroy() because a fatal error has ended the decoding of the session's data
        }
        if ($this->known === $id) { // after its own destroy(), this request may write the session again
            $this->forget();
        }
        return $this->store->set($id, false, self::END) || Removal::of($this->store, [$id]);
    }

    public function gc(int $max_lifetime): int|false
    {
        return 0; // entries end by themselves
    }

    /** PHP also calls this method to check that a new id is free. Such a call must not change $known. */
    public function validateId(string $id): bool
    {
        return $id !== '' && ($this->known === null ? $this->see($id) : \is_string($this->store->get($id)));
    }

    public function updateTimestamp(string $id, string $data): bool
    {
        // touch() would prolong the mark of a destroyed session. write() keeps or replaces the mark.
        if ($this->store->get($id) === false) {
            return $this->write($id, $data);
        }
        return $this->store->touch($id, self::lifetime()) || $this->write($id, $data);
    }

    private function forget(): void
    {
        $this->known = null;
        $this->ended = $this->gone = false;
    }

    /** Makes $id the known session. Does nothing if $gone is set for another session, because write() must still refuse that session. */
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

    /** Looks up a session before it is locked. Returns true if it exists. */
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
     * Checks whether another request has destroyed the session. The mark stays only for END seconds, so call this repeatedly during a wait.
     */
    private function watch(string $id): void
    {
        $now = self::now();
        $data = $this->store->get($id);
        $this->ended = $data === false || ($data === null && ($this->ended || $now - $this->looked >= self::END / 2));
        $this->looked = $now;
    }

    /** Returns the time (s) of a clock that cannot be set. */
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
