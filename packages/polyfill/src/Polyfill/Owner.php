<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/**
 * Finds out whether the owner of a lock, a permit or a message is alive. An owner is a request with a locked file, which is unlocked when
 * the request ends or the process dies.
 */
final class Owner
{
    private static string $own = '';
    private static int $process = 0;
    /** @var resource|null locked @phpstan-ignore property.onlyWritten */
    private static mixed $file = null;

    /** Returns the name of this process as an owner. */
    public static function own(): string
    {
        $folder = Place::folder();
        self::forked();
        if (self::$own !== '' || $folder === null) {
            return self::$own;
        }
        foreach (glob("$folder/owner-*", GLOB_NOSORT) ?: [] as $file) {
            self::isAlive(substr(basename($file), 6));
        }
        do {
            $name = bin2hex(random_bytes(8));
            $file = @fopen("$folder/owner-$name", 'c+be');
            if ($file === false || !flock($file, LOCK_EX)) {
                throw new \Larder\StaticCacheException("The file $folder/owner-$name cannot be locked");
            }
            /* isAlive() in another process may have removed the file before it was locked */
            clearstatcache();
        } while (!is_file("$folder/owner-$name"));
        self::$file = $file;
        return self::$own = $name;
    }

    public static function isOwn(string $name): bool
    {
        return $name === self::$own && self::$process === getmypid();
    }

    public static function isAlive(string $name): bool
    {
        self::forked();
        if ($name === self::$own) {
            return true;
        }
        $path = Place::folder() . "/owner-$name";
        $file = @fopen($path, 'r+be');
        if ($file === false) {
            clearstatcache(true, $path);
            return is_file($path); // fopen() may fail although the file exists, for example if too many files are open
        }
        if (!flock($file, LOCK_SH | LOCK_NB)) {
            return true;
        }
        @unlink($path);
        return false;
    }

    /** Makes a forked child a separate owner. Closes the parent's file, which the child would keep locked after the parent's death. */
    public static function forked(): void
    {
        if (self::$process !== getmypid()) {
            self::$process = (int) getmypid();
            self::$file = null;
            self::$own = '';
        }
    }
}
