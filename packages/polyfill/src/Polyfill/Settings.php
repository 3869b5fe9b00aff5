<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Settings from php.ini and the option -d. Without the extension, ini_get() does not know them. */
final class Settings
{
    private const SIZES = ['volatile' => 64 << 20, 'pinned' => 32 << 20, 'session' => 64 << 20, 'queue' => 16 << 20];
    private const USUAL_LIMIT = 128 << 20;
    private const SIZE_MIN = 1 << 20;
    private const SIZE_MAX = 1 << 40;

    /** Returns the size in the setting. If the setting is wrong, returns 0, because the store is then off. */
    public static function configuredSize(string $store): int
    {
        $text = get_cfg_var("larder.{$store}_size");
        $size = \is_string($text) ? self::quantity($text) : self::SIZES[$store];
        return $size >= self::SIZE_MIN && $size <= self::SIZE_MAX ? $size : 0;
    }

    /**
     * Returns the maximum size of a store in bytes. Each process keeps a copy of all values, so the size is at most a quarter of
     * memory_limit. If memory_limit is off and other programs may share the store, USUAL_LIMIT takes its place.
     */
    public static function size(string $store): int
    {
        $limit = ini_parse_quantity((string) \ini_get('memory_limit'));
        $limit = $limit <= 0 && self::scope() !== null ? self::USUAL_LIMIT : $limit;
        $size = self::configuredSize($store);
        return $limit > 0 ? min($size, intdiv($limit, 4)) : $size;
    }

    /** Returns the reason why a store is off, or null. */
    public static function reasonOff(string $store): ?string
    {
        if (!self::isOn('larder.enable') || (PHP_SAPI === 'cli' && !self::isOn('larder.enable_cli'))) {
            return 'larder.enable or larder.enable_cli is 0';
        }
        $scope = self::scope();
        if ($scope !== null && preg_match('/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/D', $scope) !== 1) {
            return "larder.scope = \"$scope\": must be at most 64 letters, digits, '_', '-' and '.', no '.' first";
        }
        $path = self::path();
        if ($path !== null && preg_match('~^(?:/|[A-Za-z]:[/\\\\]|\\\\\\\\)~', $path) !== 1) {
            return "larder.path = \"$path\": must be an absolute path";
        }
        if (self::configuredSize($store) !== 0) {
            return null;
        }
        $text = get_cfg_var("larder.{$store}_size");
        $text = \is_string($text) ? $text : '';
        $hint = preg_match('/^\s*(\d+)\s*([KMGT])i?B\s*$/Di', $text, $match) === 1 ? ": write $match[1]" . strtoupper($match[2]) : '';
        return "larder.{$store}_size " . (self::quantity($text) === 0 ? 'is 0' : "= \"$text\": must be 0 or a size from 1M to 1T$hint");
    }

    /** Returns the name of this process's stores, or null if only a program and its forked children share them. */
    public static function scope(): ?string
    {
        $names = [get_cfg_var('larder.scope'), $_SERVER['LARDER_SCOPE'] ?? null, getenv('LARDER_SCOPE')];
        foreach ($names as $name) {
            if (\is_string($name) && $name !== '') {
                return $name; // reasonOff() checks the name
            }
        }
        if (self::path() !== null) {
            return 'default';
        }
        // each installation of the package has its own scope
        return PHP_SAPI === 'cli' ? null : 'web-' . substr(sha1(__DIR__), 0, 12);
    }

    /** Returns larder.path, or null for the temporary folder. */
    public static function path(): ?string
    {
        $path = get_cfg_var('larder.path');
        return \is_string($path) && $path !== '' ? $path : null;
    }

    public static function isShared(): bool
    {
        return !filter_var(get_cfg_var('larder.polyfill_private'), FILTER_VALIDATE_BOOLEAN);
    }

    /** Returns a number of bytes, or the default if the setting is missing or wrong. */
    public static function bytes(string $name, int $default): int
    {
        $text = get_cfg_var($name);
        $bytes = \is_string($text) ? self::quantity($text) : null;
        return $bytes !== null && $bytes > 0 ? $bytes : $default;
    }

    /** Parses a number such as "64M" (K, M, G or T may follow), or returns null. */
    private static function quantity(string $text): ?int
    {
        if (preg_match('/^\s*(\d{1,12})([KMGT]?)\s*$/Di', $text, $match) !== 1) {
            return null;
        }
        $bytes = (float) $match[1] * 1024.0 ** (int) strpos(' KMGT', strtoupper($match[2]) ?: ' ');
        return $bytes < PHP_INT_MAX ? (int) $bytes : null;
    }

    private static function isOn(string $name): bool
    {
        $text = get_cfg_var($name);
        return !\is_string($text) || filter_var($text, FILTER_VALIDATE_BOOLEAN);
    }
}
