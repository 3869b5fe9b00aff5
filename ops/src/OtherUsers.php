<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Finds other users who have named stores. Only the user and root may enter a user's folder. */
final class OtherUsers
{
    /** The maximum number of users that a message names. */
    private const MOST = 3;

    /**
     * Returns two lists of other users: "seen" have a store of this scope; "unseen" may have one in folders that this process must not
     * enter.
     *
     * @param string $folder the folder that contains the folders of the users
     * @param string $own the folder of this user
     * @return array{seen: list<string>, unseen: list<string>}
     */
    public static function of(string $folder, string $own, string $scope): array
    {
        $users = ['seen' => [], 'unseen' => []];
        clearstatcache();
        foreach (@glob("$folder/larder-*", GLOB_ONLYDIR) ?: [] as $path) {
            $owner = (int) @fileowner($path);
            // Take only larder-UID and larder-UID.N. A folder larder-php-UID belongs to the polyfill. Check the owner, because any user may
            // create a folder with any name here.
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

    /** Returns the user id of this process, even without the extension posix. */
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
