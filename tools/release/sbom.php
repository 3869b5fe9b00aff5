<?php

/*
 * Prints a bill of materials (CycloneDX 1.5) for the files of a release: php tools/release/sbom.php FOLDER.
 * The same files and the same SOURCE_DATE_EPOCH make the same text.
 */

declare(strict_types=1);

$root = dirname(__DIR__, 2);
$folder = $argv[1] ?? exit("usage: php tools/release/sbom.php FOLDER\n");
$version = trim((string) file_get_contents("$root/VERSION"));
$header = (string) file_get_contents("$root/core/vendor/xxhash/xxhash.h");
$part = static fn (string $name): string => preg_match("/#define XXH_VERSION_$name +(\d+)/", $header, $match) ? $match[1] : exit("no XXH_VERSION_$name\n");
$xxhash = $part('MAJOR') . '.' . $part('MINOR') . '.' . $part('RELEASE');
$sum = static fn (string $file): array => [['alg' => 'SHA-256', 'content' => hash_file('sha256', $file)]];

$files = array_map(static fn (string $file): array => [
    'type' => 'file',
    'bom-ref' => 'file:' . basename($file),
    'name' => basename($file),
    'version' => $version,
    'hashes' => $sum($file),
], array_values(array_filter(glob("$folder/*") ?: [], static fn (string $file): bool => !preg_match('/(SHA256SUMS|sbom)/', basename($file)))));
$vendored = [
    'type' => 'library',
    'bom-ref' => "pkg:github/Cyan4973/xxHash@v$xxhash",
    'name' => 'xxHash',
    'version' => $xxhash,
    'description' => 'Hash function, part of the core (core/vendor/xxhash), unchanged',
    'licenses' => [['license' => ['id' => 'BSD-2-Clause']]],
    'purl' => "pkg:github/Cyan4973/xxHash@v$xxhash",
    'hashes' => $sum("$root/core/vendor/xxhash/xxhash.h"),
];
$larder = "pkg:composer/larder/larder@$version";
// A UUID made from what it describes (RFC 9562, version 8).
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
    'components' => [$vendored, ...$files],
    'dependencies' => [
        ['ref' => $larder, 'dependsOn' => [$vendored['bom-ref']]],
        ['ref' => $vendored['bom-ref']],
    ],
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR), "\n";
