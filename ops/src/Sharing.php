<?php

declare(strict_types=1);

namespace Larder\Ops;

/**
 * Finds out whether the command line and a pool of FPM share stores as their settings intend.
 *
 * @phpstan-import-type Finding from Diagnosis
 */
final class Sharing
{
    /**
     * @param array<string, mixed> $here the facts about the command line, from Facts::gather()
     * @param array<string, mixed> $pool
     * @return list<Finding>
     */
    public static function between(array $here, array $pool, string $part): array
    {
        $finding = static fn(string $level, string $text, string $where = '', string $line = ''): array
            => ['part' => "command line and $part", 'check' => 'sharing', 'level' => $level, 'text' => $text, 'where' => $where, 'line' => $line];
        if (!$here['loaded'] || !$pool['loaded']) {
            return [];
        }
        if (!$here['named'] && !$pool['named']) {
            return [$finding('right', 'each has stores of its own (to share them: larder.scope = app, for both)')];
        }
        $findings = [];
        foreach (['larder.scope' => '', 'larder.path' => '/dev/shm'] as $name => $default) {
            [$one, $other] = [$here['settings'][$name]['value'] ?: $default, $pool['settings'][$name]['value'] ?: $default];
            if ($one !== $other) {
                $to = $other === $default ? $pool : $here;
                [$where, $line] = Diagnosis::place($to, $name, $other === $default ? $one : $other);
                $findings[] = $finding('wrong', "$name is \"$one\" on the command line and \"$other\" in the pool, so they do not share stores", $where, $line);
            }
        }
        return $findings ?: self::named($here, $pool, $finding);
    }

    /**
     * @param array<string, mixed> $here
     * @param array<string, mixed> $pool
     * @param callable(string, string, string=, string=): Finding $finding
     * @return list<Finding>
     */
    private static function named(array $here, array $pool, callable $finding): array
    {
        $scope = $here['settings']['larder.scope']['value'] ?: 'default';
        foreach ($pool['files'] as $file) {
            clearstatcache();
            $stat = @lstat($file['path']);
            if ($here['uid'] === 0 || $here['uid'] === $pool['uid']) { // only root and the pool's user can look into the folder
                if ($stat === false || $stat['dev'] !== $file['device'] || $stat['ino'] !== $file['inode']) {
                    return [$finding('wrong', "{$file['path']} is another file for the pool: it has another {$pool['folder']['path']} (another container or mount namespace); mount a common folder", ...Diagnosis::place($here, 'larder.path', '/run/larder'))];
                }
            }
            break;
        }
        [$one, $other] = [$here['namespaces']['pid'], $pool['namespaces']['pid']];
        if ($one !== $other && $one !== '' && $other !== '') { // '' means that open_basedir or a chroot hides the namespace
            return [$finding('wrong', 'the pool runs in another PID namespace (another container), so they cannot share a store', ...Diagnosis::place($here, 'larder.scope', "$scope-cli"))];
        }
        if (self::minor($here['php']) !== self::minor($pool['php']) || $here['api'] !== $pool['api']) {
            return [$finding('wrong', "the pool is PHP {$pool['php']}, the command line PHP {$here['php']}: they cannot share values", ...Diagnosis::place($here, 'larder.scope', "$scope-php" . self::minor($here['php'])))];
        }
        $findings = [];
        foreach (['larder.volatile_size', 'larder.pinned_size', 'larder.session_size', 'larder.queue_size'] as $name) {
            [$one, $other] = [$here['settings'][$name], $pool['settings'][$name]];
            if ($one['configured'] !== null && $here['uid'] !== $pool['uid'] && Diagnosis::bytes($one['value']) !== Diagnosis::bytes($other['value'])) {
                [$where, $line] = Diagnosis::place($here, $name, $other['value']);
                $findings[] = $finding('wrong', "$name is {$one['value']} on the command line and {$other['value']} in the pool; the first that makes a store decides", "restart FPM if its ini files have {$one['value']} by now; else $where", $line);
            }
        }
        if ($here['uid'] !== $pool['uid'] && $here['uid'] !== 0 && $pool['uid'] !== null) {
            $findings[] = $finding('wrong', "stores are each user's own: you are {$here['user']}, the pool is {$pool['user']}", 'run programs of the command line so', "sudo -u {$pool['user']} php PROGRAM");
        } elseif ($here['uid'] !== $pool['uid']) {
            $findings[] = $finding('note', "stores are each user's own: run programs as sudo -u {$pool['user']} php PROGRAM");
        } elseif ($findings === []) {
            $findings[] = $finding('right', "both use the stores named \"$scope\" of user {$pool['user']}");
        }
        return $findings;
    }

    private static function minor(string $php): string
    {
        return (string) preg_replace('/^(\d+\.\d+).*/', '$1', $php);
    }
}
