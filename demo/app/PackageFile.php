<?php

declare(strict_types=1);

namespace Demo;

/** A file of package records, as in /var/lib/dpkg/status. */
final class PackageFile
{
    private const RELATION = '/^(\S+?)(?::\w+)?(?:\s*\(([<>=]+)\s*([^)]+)\))?$/';

    /**
     * All packages by name, as nested arrays.
     * @return array<string, array<string, mixed>>
     */
    public static function read(string $path): array
    {
        $packages = [];
        foreach (explode("\n\n", (string) file_get_contents($path)) as $text) {
            $fields = self::fields($text);
            $name = $fields['Package'] ?? null;
            if ($name === null || isset($packages[$name])) {
                continue;
            }
            $packages[$name] = self::record($fields);
        }
        ksort($packages, SORT_STRING);
        return self::withDependents($packages);
    }

    /** @return array<string, string> */
    private static function fields(string $text): array
    {
        preg_match_all('/^([\w-]+):[ \t]*(.*(?:\n[ \t].*)*)/m', $text, $found);
        return array_combine($found[1], $found[2]);
    }

    /**
     * @param array<string, string> $fields
     * @return array<string, mixed>
     */
    private static function record(array $fields): array
    {
        $description = explode("\n", $fields['Description'] ?? '', 2);
        return [
            'version' => $fields['Version'] ?? '',
            'architecture' => $fields['Architecture'] ?? '',
            'section' => $fields['Section'] ?? '',
            'priority' => $fields['Priority'] ?? '',
            'kilobytes' => (int) ($fields['Installed-Size'] ?? 0),
            'maintainer' => $fields['Maintainer'] ?? '',
            'homepage' => $fields['Homepage'] ?? null,
            'summary' => $description[0],
            'description' => preg_replace('/^ \.?/m', '', $description[1] ?? ''),
            'depends' => self::relations($fields['Depends'] ?? ''),
            'recommends' => self::relations($fields['Recommends'] ?? ''),
            'provides' => self::relations($fields['Provides'] ?? ''),
            'conffiles' => self::conffiles($fields['Conffiles'] ?? ''),
            'dependents' => [],
        ];
    }

    /**
     * Turns "a (>= 1) | b, c" into [[[a, >=, 1], [b, null, null]], [[c, null, null]]]. The package needs one element of each inner list.
     * @return list<list<array{string, ?string, ?string}>>
     */
    private static function relations(string $text): array
    {
        $all = [];
        foreach (preg_split('/\s*,\s*/', $text, -1, PREG_SPLIT_NO_EMPTY) ?: [] as $one) {
            $any = [];
            foreach (explode('|', $one) as $relation) {
                if (preg_match(self::RELATION, trim($relation), $part) === 1) {
                    $any[] = [$part[1], $part[2] ?? null, $part[3] ?? null];
                }
            }
            $all[] = $any;
        }
        return $all;
    }

    /** @return list<array{path: string, md5: string}> */
    private static function conffiles(string $text): array
    {
        preg_match_all('/^\s*(\S+) (\S+)/m', $text, $found, PREG_SET_ORDER);
        return array_map(fn(array $line): array => ['path' => $line[1], 'md5' => $line[2]], $found);
    }

    /**
     * Tells each package which packages depend on it.
     * @param array<string, array<string, mixed>> $packages
     * @return array<string, array<string, mixed>>
     */
    private static function withDependents(array $packages): array
    {
        $dependents = [];
        foreach ($packages as $name => $record) {
            foreach ($record['depends'] as $any) {
                foreach ($any as [$needed]) {
                    $dependents[$needed][$name] = true;
                }
            }
        }
        foreach ($packages as $name => $record) {
            $packages[$name]['dependents'] = array_map(strval(...), array_keys($dependents[$name] ?? []));
        }
        return $packages;
    }
}
