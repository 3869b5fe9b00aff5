<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Settings in php.ini and -d. Without the extension PHP does not know them, so ini_get() does not return them. */
final class Settings
{
    private const SIZES = ['volatile' => 64 << 20, 'pinned' => 32 << 20, 'session' => 64 << 20, 'queue' => 16 << 20];

    public static function configuredSize(string $store): int
    {
        return self::bytes("larder.{$store}_size", self::SIZES[$store]);
    }

    /**
     * Returns how many bytes a store may take. It is at most a quarter of memory_limit, because values are in memory of this process.
     */
    public static function size(string $store): int
    {
        $limit = ini_parse_quantity((string) \ini_get('memory_limit'));
        $size = self::configuredSize($store);
        return $limit > 0 ? min($size, intdiv($limit, 4)) : $size;
    }

    /** Returns the reason why a store is off; null: it is on. */
    public static function reasonOff(string $store): ?string
    {
        if (!self::isOn('larder.enable') || (PHP_SAPI === 'cli' && !self::isOn('larder.enable_cli'))) {
            return 'larder.enable or larder.enable_cli is 0';
        }
        return self::configuredSize($store) === 0 ? "larder.{$store}_size is 0" : null;
    }

    public static function bytes(string $name, int $default): int
    {
        $text = get_cfg_var($name);
        return \is_string($text) && is_numeric(rtrim($text, 'kKmMgGtT')) ? ini_parse_quantity($text) : $default;
    }

    private static function isOn(string $name): bool
    {
        $text = get_cfg_var($name);
        return !\is_string($text) || filter_var($text, FILTER_VALIDATE_BOOLEAN);
    }
}
