<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Sessions;

/**
 * Laravel's sessions in the store of sessions, which evicts no live session, and is not cleared with the cache. If two requests use a
 * session at the same time, the last write wins, unless the route calls block().
 */
final class LarderSessionHandler implements \SessionHandlerInterface
{
    /**
     * @param string $path a name that keeps the sessions of different sites apart
     * @param int $lifetime seconds
     */
    public function __construct(private readonly string $path, private readonly int $lifetime)
    {
        \extension_loaded('larder') || ExtensionMissing::unlessShared();
    }

    public function open(string $path, string $name): bool
    {
        return true;
    }

    public function close(): bool
    {
        return true;
    }

    public function read(string $id): string
    {
        return Sessions::read($id, $this->path) ?? '';
    }

    /** @throws \Larder\StaticCacheException there is no room; the session keeps the data that it had before */
    public function write(string $id, string $data): bool
    {
        Sessions::write($id, $data, $this->lifetime, $this->path);
        return true;
    }

    public function destroy(string $id): bool
    {
        Sessions::destroy($id, $this->path);
        return true;
    }

    public function gc(int $max_lifetime): int
    {
        return 0; // an expired session is removed when its memory is needed
    }
}
