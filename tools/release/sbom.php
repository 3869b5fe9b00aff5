<?php

/*
 * Prints a bill of materials (CycloneDX 1.5) for the files of a release: php tools/release/sbom.php FOLDER. The text depends only on the
 * files and on SOURCE_DATE_EPOCH.
 */

declare(strict_types=1);

$root = dirname(__DIR__, 2);
$folder = $argv[1] ?? '';
if (!is_dir($folder)) {
    fwrite(STDERR, "usage: php tools/release/sbom.php FOLDER\n");
    exit(2);
}
$version = trim((string) file_get_contents("$root/VERSION"));
$version_of = static function (string $header, string $prefix): string {
    $part = static fn (string $name): string => preg_match("/#define {$prefix}_VERSION_$name +(\d+)/", $header, $match) ? $match[1] : throw new RuntimeException("no {$prefix}_VERSION_$name");

    return $part('MAJOR') . '.' . $part('MINOR') . '.' . $part('RELEASE');
};
$sum = static fn (string $file): array => [['alg' => 'SHA-256', 'content' => hash_file('sha256', $file)]];

$files = array_map(static fn (string $file): array => [
    'type' => 'file',
    'bom-ref' => 'file:' . basename($file),
    'name' => basename($file),
    'version' => $version,
    'hashes' => $sum($file),
], array_values(array_filter(glob("$folder/*") ?: [], static fn (string $file): bool => !preg_match('/(SHA256SUMS|sbom)/', basename($file)))));
$vendored = static function (string $name, string $repository, string $what, string $prefix, string $header, string $file) use ($root, $sum, $version_of): array {
    $version = $version_of((string) file_get_contents("$root/core/vendor/$header"), $prefix);

    return [
        'type' => 'library',
        'bom-ref' => "pkg:github/$repository@v$version",
        'name' => $name,
        'version' => $version,
        'description' => "$what, part of the core (core/vendor/" . dirname($file) . '), unchanged',
        'licenses' => [['license' => ['id' => 'BSD-2-Clause']]],
        'purl' => "pkg:github/$repository@v$version",
        'hashes' => $sum("$root/core/vendor/$file"),
    ];
};
$libraries = [
    $vendored('LZ4', 'lz4/lz4', 'Compression', 'LZ4', 'lz4/lz4.h', 'lz4/lz4.c'),
    $vendored('xxHash', 'Cyan4973/xxHash', 'Hash function', 'XXH', 'xxhash/xxhash.h', 'xxhash/xxhash.h'),
];
$larder = "pkg:composer/larder/larder@$version";
// A UUID from the version and the files, so that the same release has the same one (RFC 9562, version 8).
$seed = hash('sha256', (string) json_encode([$version, $files]));
$uuid = sprintf('%s-%s-8%s-a%s-%s', substr($seed, 0, 8), substr($seed, 8, 4), substr($seed, 13, 3), substr($seed, 17, 3), substr($seed, 20, 12));

echo json_encode([
    '$schema' => 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    'bomFormat' => 'CycloneDX',
    'specVersion' => '1.5',
    'serialNumber' => "urn:uuid:$uuid",
    'version' => 1,
    'metadata' => [
        'timestamp' => gmdate('Y-m-d\TH:i:s\Z', (int) getenv('SOURCE_DATE_EPOCH')),
        'component' => [
            'type' => 'library',
            'bom-ref' => $larder,
            'name' => 'larder',
            'version' => $version,
            'description' => 'A shared-memory cache for PHP and Ruby',
            'licenses' => [['license' => ['id' => 'MIT']]],
            'purl' => $larder,
        ],
    ],
    'components' => [...$libraries, ...$files],
    'dependencies' => [
        ['ref' => $larder, 'dependsOn' => array_column($libraries, 'bom-ref')],
        ...array_map(static fn (array $library): array => ['ref' => $library['bom-ref']], $libraries),
    ],
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR), "\n";
