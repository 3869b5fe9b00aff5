<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/**
 * The folder of a user's stores: larder-php-USER, in larder.path or in the temporary folder. No other user may enter this folder. A command
 * whose stores have no name has a subfolder of its own, which it shares with its forked children.
 */
final class Place
{
    /** Raise this number when the format of the records changes. It is in the names of files, so that no version reads another format. */
    private const FORMAT = 1;
    /** The subfolder of a program on the command line, or null. */
    private static ?string $ofFamily = null;
    private static ?string $folder = null;
    /** @var resource|null locked while the program or a forked child may need the subfolder */
    private static mixed $used = null;
    private static bool $isLeft = false;

    /** Makes the subfolder when a program on the command line begins, before it forks children. */
    public static function begin(): void
    {
        $users = Settings::isShared() && Settings::scope() === null ? self::ofUser() : null;
        self::$ofFamily = $users !== null ? self::ofFamily($users) : null;
    }

    /** Returns the path of a store's files, or null if the process does not share the store. */
    public static function of(string $store): ?string
    {
        $folder = self::folder();
        return $folder !== null ? $folder . '/' . (Settings::scope() ?? 'family') . "-$store.v" . self::FORMAT : null;
    }

    public static function isAnonymous(): bool
    {
        return Settings::scope() === null;
    }

    /** Makes and returns the folder of this process's stores. Returns null if the process shares no store. */
    public static function folder(): ?string
    {
        self::$folder ??= match (true) {
            !Settings::isShared() => null,
            Settings::scope() !== null => self::ofUser(),
            default => self::$ofFamily,
        } ?? '';
        return self::$folder !== '' ? self::$folder : null;
    }

    /** Makes and returns the folder of this user, or null if another user owns it or may enter it. */
    private static function ofUser(): ?string
    {
        $file = tmpfile();
        $state = $file !== false ? fstat($file) : false;
        if ($state === false) {
            return null;
        }
        $folder = rtrim(Settings::path() ?? sys_get_temp_dir(), '/\\') . "/larder-php-$state[uid]";
        @mkdir($folder, 0700);
        clearstatcache();
        $found = @lstat($folder);
        $isOwn = $found !== false && is_dir($folder) && !is_link($folder) && $found['uid'] === $state['uid'];
        if ($isOwn && (PHP_OS_FAMILY === 'Windows' || ($found['mode'] & 077) === 0)) {
            return $folder;
        }
        if ((bool) \ini_get('log_errors')) {
            error_log($found === false ? "Larder: the folder $folder cannot be made. So this process shares no stores"
                : "Larder: the folder $folder belongs to another user, or others may enter it. So this process shares no stores");
        }
        return null;
    }

    private static function ofFamily(string $users): ?string
    {
        self::sweep($users);
        $folder = "$users/of-" . bin2hex(random_bytes(8));
        for ($tries = 0; $tries < 10; $tries++) {
            @mkdir($folder, 0700);
            $used = @fopen("$folder/used", 'c+be');
            // if the file is missing, another process has just removed the folder, so try again
            if ($used !== false && flock($used, LOCK_SH) && is_file("$folder/used")) {
                self::$used = $used;
                register_shutdown_function(static fn() => register_shutdown_function(self::leave(...), $folder)); // leave() runs after all other shutdown functions
                return $folder;
            }
        }
        return null;
    }

    /** Returns true if this process is ending and no longer uses its subfolder. */
    public static function isLeft(): bool
    {
        return self::$isLeft && self::isAnonymous();
    }

    /** Removes the subfolder if no other process uses it. Files that this process has opened stay usable. */
    private static function leave(string $folder): void
    {
        self::$isLeft = true;
        if (self::$used !== null) {
            fclose(self::$used);
            self::$used = null;
            self::removeUnused($folder);
        }
    }

    /** Removes the subfolders of programs that were killed. */
    private static function sweep(string $users): void
    {
        foreach (glob("$users/of-*", GLOB_NOSORT) ?: [] as $folder) {
            self::removeUnused($folder);
        }
    }

    private static function removeUnused(string $folder): void
    {
        $used = @fopen("$folder/used", 'r+be');
        if ($used !== false && flock($used, LOCK_EX | LOCK_NB)) {
            array_map(static fn(string $file) => @unlink($file), glob("$folder/*", GLOB_NOSORT) ?: []);
            @rmdir($folder);
        }
    }
}
