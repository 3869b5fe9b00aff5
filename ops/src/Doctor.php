<?php

declare(strict_types=1);

namespace Larder\Ops;

/**
 * `larder doctor`: examines the command line and each pool of --fpm, and whether they share stores. Start with examine().
 *
 * @phpstan-import-type Finding from Diagnosis
 */
final class Doctor
{
    public const HERE = 'command line';

    /**
     * @param list<string> $addresses sockets of FPM pools
     * @param string $file the path under which the pools can read this program
     * @return list<Finding>
     */
    public static function examine(array $addresses, string $file): array
    {
        $pools = [];
        $findings = [];
        foreach ($addresses as $address) {
            try {
                $pools[$address] = Agent::ask(new FastCgi($address), $file, 'doctor', []);
            } catch (Failure $e) {
                $findings[] = self::unreachable($address, $e->getMessage());
            }
        }
        $here = Facts::gather('');
        $found = Diagnosis::of($here, self::HERE);
        foreach ($pools as $address => $pool) {
            $part = "pool {$pool['pool']} of FPM";
            array_push($found, ...Diagnosis::of($pool, $part), ...Sharing::between($here, $pool, $part));
        }
        if ($addresses === []) {
            array_push($found, ...self::onPaper($here));
        }
        return [...$found, ...$findings];
    }

    /** @return Finding */
    private static function unreachable(string $address, string $message): array
    {
        $why = str_replace($address, '', $message); // the address itself may contain the words below
        [$where, $line] = match (true) {
            str_contains($why, 'may not connect') => ['run', "sudo larder doctor --fpm $address"],
            str_contains($why, '--fpm-file') || str_contains($why, '404') => ['run, with a copy of larder.php that the pool may read', "larder doctor --fpm $address --fpm-file COPY"],
            str_contains($why, 'all workers busy') => ['write into the section of the pool', 'pm.max_children = 10'],
            default => ['start FPM; the section of its pool must have', "listen = $address"],
        };
        return ['part' => "pool at $address", 'check' => 'fpm', 'level' => 'wrong', 'text' => $message, 'where' => $where, 'line' => $line];
    }

    /**
     * Compares the ini files of the command line with those of FPM, if there is no pool to ask. Finds FPM's files only where Debian puts
     * them.
     * @param array<string, mixed> $here
     * @return list<Finding>
     */
    private static function onPaper(array $here): array
    {
        $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        $folder = (string) preg_replace('~/cli/conf\.d$~', '/fpm/conf.d', $here['ini']['folder'], 1, $count);
        $part = "FPM's ini files";
        $finding = static fn(string $level, string $check, string $text, string $where = '', string $line = ''): array
            => ['part' => $part, 'check' => $check, 'level' => $level, 'text' => $text, 'where' => $where, 'line' => $line];
        if ($count === 0 || !$here['ini']['read'] || !is_dir($folder) || !is_executable("/usr/sbin/php-fpm$version")) {
            return [];
        }
        $ini = IniFiles::of($folder, dirname($folder) . '/php.ini');
        if ($here['loaded'] && $ini->loading('larder') === []) {
            return [$finding('wrong', 'extension', 'larder is not loaded by FPM', 'run', "sudo phpenmod -v $version -s fpm larder")];
        }
        foreach (['larder.scope', 'larder.path'] as $name) {
            $there = $ini->setting($name)['value'] ?? '';
            $value = $here['settings'][$name]['value'] ?? '';
            if ($here['loaded'] && $there !== $value && $value !== '') {
                return [$finding('wrong', 'sharing', "$name is \"$value\" on the command line and \"$there\" in FPM's, so they do not share stores", 'write into ' . $ini->file(), "$name = $value")];
            }
        }
        $sockets = glob("/run/php/php$version-fpm*.sock") ?: [];
        return $sockets === [] ? [] : [$finding('note', 'fpm', "a pool was not asked: sudo larder doctor --fpm {$sockets[0]}")];
    }

    /** @param list<Finding> $findings */
    public static function wrong(array $findings): int
    {
        return count(array_filter($findings, static fn(array $finding): bool => $finding['level'] === 'wrong'));
    }

    /** @param list<Finding> $findings */
    public static function text(array $findings): string
    {
        $text = '';
        $part = null;
        foreach ($findings as $finding) {
            $text .= $finding['part'] !== $part ? ($part !== null ? "\n" : '') . "{$finding['part']}\n" : '';
            $part = $finding['part'];
            $text .= sprintf("  %-5s  %-11s  %s\n", $finding['level'] === 'wrong' ? 'WRONG' : $finding['level'], $finding['check'], str_replace("\n", "\n" . str_repeat(' ', 22), wordwrap($finding['text'], 58)));
            $text .= $finding['line'] !== '' ? '         ' . str_replace("\n", "\n" . str_repeat(' ', 9), wordwrap("{$finding['where']}:", 71)) . "\n             {$finding['line']}\n" : '';
        }
        $wrong = self::wrong($findings);
        return $text . "\n" . match ($wrong) {
            0 => 'all is well', 1 => 'one thing is wrong', default => "$wrong things are wrong",
        } . ($wrong > 0 ? '; restart FPM after a change of ini files' : '') . "\n";
    }
}
