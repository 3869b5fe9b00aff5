<?php

declare(strict_types=1);

namespace Demo;

/** The application's answer about a package. It depends only on the package file, so all processes give the same answer. */
final class Answer
{
    private const DEPENDENTS_SHOWN = 12;
    private const JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;

    /**
     * @param array<string, array<string, mixed>> $packages
     * @return array<string, mixed>
     */
    public static function about(array $packages, string $name): array
    {
        $record = $packages[$name];
        $depends = [];
        foreach ($record['depends'] as $any) {
            foreach ($any as [$needed, $operator, $version]) {
                $depends[] = [
                    'package' => $needed,
                    'wanted' => $operator === null ? 'any' : "$operator $version",
                    'there' => $packages[$needed]['version'] ?? null,
                ];
            }
        }
        return [
            'package' => $name,
            'version' => $record['version'],
            'section' => $record['section'],
            'summary' => $record['summary'],
            'depends' => $depends,
            'dependents' => array_slice($record['dependents'], 0, self::DEPENDENTS_SHOWN),
            'dependents_in_all' => count($record['dependents']),
            'packages' => count($packages),
            'digest' => hash('xxh128', self::text($record)), // the digest of the whole record
        ];
    }

    /** @param array<string, mixed> $value */
    public static function text(array $value): string
    {
        return json_encode($value, self::JSON);
    }
}
