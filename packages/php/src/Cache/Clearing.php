<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\VolatileCache;

/** Finds entries that remain after a command has cleared a cache. */
final class Clearing
{
    private const NAMES_MAX = 3;

    /**
     * Returns a warning, with advice, if this process would clear only one of several stores of this scope. Otherwise returns null.
     *
     * @param bool $alone if true, also return a warning if no other process can see this process's store
     */
    public static function reachesNot(bool $alone = true): ?string
    {
        if (!\extension_loaded('larder') || !\in_array(\PHP_SAPI, ['cli', 'phpdbg'], true)) {
            return null;
        }
        $info = VolatileCache::info();
        if (!$info->available) {
            return null;
        }
        if ($info->shared_model !== 'anonymous') {
            $others = self::others($info->shared_model);
            return $others === [] ? null : \sprintf('this would clear the store of user %d only, and %s has one of this larder.scope, too. Run it as that user.', (int) substr(basename(\dirname($info->shared_model)), 7), self::list($others, ', '));
        }
        return !$alone || PinnedStore::servesFamily() ? null : 'without larder.scope this command has an empty store of its own. Write "larder.scope = NAME" into php.ini, for the command line and for FPM.';
    }

    /**
     * Returns a warning that names the users whose folders this process cannot read, because these folders may contain a store of this scope.
     * Returns null if there are no such users.
     */
    public static function unseen(): ?string
    {
        if (!\extension_loaded('larder') || !\in_array(\PHP_SAPI, ['cli', 'phpdbg'], true)) {
            return null;
        }
        $info = VolatileCache::info();
        if (!$info->available || $info->shared_model === 'anonymous') {
            return null;
        }
        $own = \dirname($info->shared_model);
        $users = [];
        foreach (@glob(\dirname($own) . '/larder-*', GLOB_NOSORT | GLOB_ONLYDIR) ?: [] as $folder) {
            if ($folder !== $own && !@is_executable($folder) && @fileowner($folder) !== @fileowner($own)) {
                $users[] = self::user((int) @fileowner($folder));
            }
        }
        return $users === [] ? null : \sprintf('only the store of %s is cleared. Run this as the user whose cache is meant, too, if that is %s: whether there is a store of this larder.scope cannot be seen from here.', self::user((int) @fileowner($own)), self::list(array_values(array_unique($users)), ' or '));
    }

    /**
     * @param string $path the path of a store's file: FOLDER/larder-UID/FILE
     * @return list<string> the other users who have a store in FOLDER under the same name FILE
     */
    private static function others(string $path): array
    {
        $own = \dirname($path);
        $names = [];
        foreach (@glob(\dirname($own) . '/larder-*/' . basename($path), GLOB_NOSORT) ?: [] as $file) {
            if (\dirname($file) === $own || !@is_file($file)) {
                continue;
            }
            $names[] = self::user((int) @fileowner($file));
        }
        return $names;
    }

    private static function user(int $uid): string
    {
        $user = \function_exists('posix_getpwuid') ? posix_getpwuid($uid) : false;
        return \is_array($user) ? "{$user['name']} ($uid)" : "user $uid";
    }

    /** @param list<string> $names */
    private static function list(array $names, string $between): string
    {
        sort($names);
        return implode($between, \count($names) > self::NAMES_MAX ? [...\array_slice($names, 0, self::NAMES_MAX), \sprintf('%d more', \count($names) - self::NAMES_MAX)] : $names);
    }
}
