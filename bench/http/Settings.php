<?php

declare(strict_types=1);

namespace Bench\Http;

use Bench\Drivers;
use Servers\Programs;

/** Makes a driver's settings for a PHP without a php.ini. Replaces an extension's name by its file, and leaves out missing extensions. */
final class Settings
{
    /** @return list<string> */
    public static function of(string $driver): array
    {
        return self::lines(Drivers::class($driver)::SETTINGS);
    }

    /**
     * @param list<string> $settings
     * @return list<string>
     */
    public static function lines(array $settings): array
    {
        $lines = [];
        foreach ($settings as $line) {
            if (str_starts_with($line, 'extension=')) {
                $name = substr($line, strlen('extension='));
                $file = $name === 'larder' ? dirname(__DIR__, 2) . '/php/modules/larder.so' : Programs::extension($name);
                if (!is_file($file)) {
                    continue;
                }
                $line = "extension=$file";
            }
            $lines[] = $line;
        }
        return $lines;
    }
}
