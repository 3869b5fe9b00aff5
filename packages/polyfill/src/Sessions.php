<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Encoded;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Settings;
use Larder\Polyfill\Store;

/**
 * The sessions of session.save_handler = larder. All methods except info() use the sessions of $path, or of the current session.save_path.
 * @strict-properties
 */
final class Sessions
{
    private const PATH_MAX = Fault::KEY_MAX - 257;
    private const ID = '/^[A-Za-z0-9,-]{1,256}$/D';
    private const SIZE_MAX = 1 << 20;

    private function __construct() {}

    public static function info(): StaticCacheInfo
    {
        Fault::most(\func_num_args(), 0);
        return Store::info('session');
    }

    public static function count(): int
    {
        Fault::most(\func_num_args(), 0);
        return \count(self::ids());
    }

    public static function destroy(string $id, ?string $path = null): bool
    {
        Fault::most(\func_num_args(), 2);
        return Store::named('session')?->delete(self::key($id, $path, 2)) === true;
    }

    /** @throws StaticCacheException the store is off */
    public static function read(string $id, ?string $path = null): ?string
    {
        Fault::most(\func_num_args(), 2);
        $key = self::key($id, $path, 2);
        $data = self::store()->use($key)?->value?->decode();
        return \is_string($data) ? $data : null;
    }

    /** @throws StaticCacheException the store is full or off, or the text is longer than larder.session_max_size */
    public static function write(string $id, string $data, int|float $ttl, ?string $path = null): void
    {
        Fault::most(\func_num_args(), 4);
        $ttl = Fault::seconds($ttl, 3);
        $key = self::key($id, $path, 4);
        $store = self::store();
        $most = Settings::bytes('larder.session_max_size', self::SIZE_MAX);
        if (\strlen($data) > $most) {
            throw new StaticCacheException('The session has ' . \strlen($data) . " bytes, more than larder.session_max_size = $most. "
                . 'Its last stored content is still there');
        }
        if (!$store->put($key, Encoded::scalar($data), $ttl)) {
            throw new StaticCacheException('The store of sessions is full, and no session in it has expired: raise '
                . 'larder.session_size. Its last stored content is still there');
        }
    }

    /** @return list<string> */
    public static function ids(): array
    {
        Fault::most(\func_num_args(), 0);
        $prefix = self::prefix();
        $ids = [];
        foreach (Store::named('session')?->walk($prefix) ?? [] as $key => $_) {
            $ids[] = substr($key, \strlen($prefix));
        }
        return $ids;
    }

    private static function store(): Store
    {
        return Store::named('session')
            ?? throw new StaticCacheException('The store of sessions is off: ' . Settings::reasonOff('session'));
    }

    private static function prefix(): string
    {
        $path = (string) \ini_get('session.save_path');
        if (\strlen($path) > self::PATH_MAX) {
            throw new StaticCacheException(sprintf('session.save_path must be at most %d bytes long, it has %d', self::PATH_MAX, \strlen($path)));
        }
        return "$path\0";
    }

    private static function key(string $id, ?string $path, int $argument): string
    {
        if (preg_match(self::ID, $id) !== 1) {
            throw Fault::argument(\ValueError::class, 1, 'must be 1 to 256 characters of A-Z, a-z, 0-9, "-" and ","');
        }
        if ($path !== null && \strlen($path) > self::PATH_MAX) {
            throw Fault::argument(\ValueError::class, $argument, 'must be at most ' . self::PATH_MAX . ' bytes long');
        }
        return ($path !== null ? "$path\0" : self::prefix()) . $id;
    }
}
