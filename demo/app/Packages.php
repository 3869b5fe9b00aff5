<?php

declare(strict_types=1);

namespace Demo;

use Larder\PinnedCache;
use Larder\VolatileCache;

/** Three ways in which a request can get the package database. */
final class Packages
{
    public const MODES = ['none' => 'no cache', 'apcu' => 'APCu', 'larder' => 'Larder'];

    /** @return array<string, array<string, mixed>> */
    public static function load(string $mode, string $path): array
    {
        return match ($mode) {
            'none' => PackageFile::read($path),
            'apcu' => self::fromApcu($path),
            'larder' => self::fromLarder($path),
            default => throw new \ValueError("there is no mode \"$mode\""),
        };
    }

    /** @return array<string, array<string, mixed>> */
    private static function fromLarder(string $path): array
    {
        return VolatileCache::remember('packages', function () use ($path): array {
            PinnedCache::increment('loads'); // counts how often the database was loaded
            return PackageFile::read($path);
        });
    }

    /** @return array<string, array<string, mixed>> */
    private static function fromApcu(string $path): array
    {
        $packages = apcu_fetch('packages', $found);
        if (!$found) {
            $packages = PackageFile::read($path);
            apcu_store('packages', $packages);
        }
        return $packages;
    }
}
