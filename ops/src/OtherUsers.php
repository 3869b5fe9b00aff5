<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Finds the other users who have named stores. Each user has a folder of its own for them, which only that user and root may enter. */
final class OtherUsers
{
    /** A message names at most this number of users. */
    private const MOST = 3;

    /**
     * Returns the other users who have a store of this scope, and those whose folders this process may not enter, so that it cannot see
     * what they have.
     *
     * @param string $folder which holds the folders of the users
     * @param string $own the folder of this user
     * @return array{seen: list<string>, unseen: list<string>}
     */
    public static function of(string $folder, string $own, string $scope): array
    {
        $users = ['seen' => [], 'unseen' => []];
        clearstatcache();
        foreach (@glob("$folder/larder-*", GLOB_ONLYDIR) ?: [] as $path) {
            $owner = (int) @fileowner($path);
            // the polyfill has a folder larder-php-UID here, and anyone may make a folder with another name
            if (preg_match('~/larder-(\d+)(\.\d)?$~D', $path, $match) !== 1 || (int) $match[1] !== $owner || $path === $own || $owner === self::me()) {
                continue;
            }
            if (!@is_executable($path)) {
                $users['unseen'][] = self::name($owner);
                continue;
            }
            foreach (Operations::STORES as $store) {
                if (@is_file("$path/$scope-$store")) {
                    $users['seen'][] = self::name((int) @fileowner("$path/$scope-$store"));
                }
            }
        }
        return array_map(static fn(array $names): array => array_values(array_unique($names)), $users);
    }

    /** Returns the user of this process, also where PHP lacks the extension posix. */
    public static function me(): int
    {
        return function_exists('posix_geteuid') ? posix_geteuid() : (int) fileowner('/proc/self');
    }

    public static function name(int $id): string
    {
        return (function_exists('posix_getpwuid') ? posix_getpwuid($id)['name'] ?? null : null) ?? (string) $id;
    }

    /** @param list<string> $names */
    public static function list(array $names): string
    {
        $more = count($names) - self::MOST;
        return implode(', ', array_slice($names, 0, self::MOST)) . ($more > 0 ? " and $more more" : '');
    }
}
