<?php

declare(strict_types=1);

namespace Larder\Cache;

/**
 * A handler for session_set_save_handler(): sessions as entries of a store that end after session.gc_maxlifetime.
 * While a request has a session open, others that want it wait: for max_execution_time or, without one, 30 seconds;
 * then the session is not opened, as a change would be lost. A request that is killed lets go at once.
 *
 * In a VolatileStore, sessions are evicted when memory is full.
 */
class SessionHandler implements \SessionHandlerInterface, \SessionIdInterface, \SessionUpdateTimestampHandlerInterface
{
    private ?string $open = null;
    /** The id that was made last. */
    private ?string $given = null;

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
        return true;
    }

    /** An id as PHP makes it by default; as long as session.sid_length says, where PHP still has that. */
    public function create_sid(): string
    {
        return $this->given = substr(bin2hex(random_bytes(128)), 0, (int) \ini_get('session.sid_length') ?: 32);
    }

    public function read(string $id): string|false
    {
        if ($this->open !== $id && !$this->enter($id)) {
            return false;
        }
        $data = $this->store->get($id);
        if ($data === null && $id === $this->given && \ini_get('session.use_strict_mode')) {
            $this->store->add($id, '', self::lifetime()); // else the browser may be back with it before it is written, and get another
        }
        return \is_string($data) ? $data : '';
    }

    public function write(string $id, string $data): bool
    {
        return $this->store->set($id, $data, self::lifetime());
    }

    public function destroy(string $id): bool
    {
        return Removal::of($this->store, [$id]);
    }

    public function gc(int $max_lifetime): int|false
    {
        return 0; // entries end by themselves
    }

    public function validateId(string $id): bool
    {
        return $id !== '' && $this->store->has($id);
    }

    public function updateTimestamp(string $id, string $data): bool
    {
        return $this->store->touch($id, self::lifetime()) || $this->write($id, $data);
    }

    private function enter(string $id): bool
    {
        $this->close();
        $give_up = hrtime(true) / 1e9 + ((int) ini_get('max_execution_time') ?: 30);
        for ($pause = 100; !$this->store->lock($id); $pause = min(2 * $pause, 10000)) {
            if (hrtime(true) / 1e9 > $give_up) {
                return false;
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
