<?php

declare(strict_types=1);

namespace Bench;

/** Finds drivers by name: "larder-pinned" is the class Bench\Driver\LarderPinned in drivers/LarderPinned.php. */
final class Drivers
{
    public static function open(string $name): Driver
    {
        $class = self::class($name);
        return new $class();
    }

    /** @return class-string<Driver> */
    public static function class(string $name): string
    {
        if (preg_match('/^[a-z0-9]+(-[a-z0-9]+)*$/', $name) === 1) {
            $class = 'Bench\\Driver\\' . str_replace('-', '', ucwords($name, '-'));
            if (class_exists($class)) {
                return $class;
            }
        }
        throw new Unknown("There is no driver \"$name\". Drivers: " . implode(', ', self::names()));
    }

    /** @return list<string> all drivers; the reference, "fake", comes first */
    public static function names(): array
    {
        $names = [];
        foreach (glob(dirname(__DIR__) . '/drivers/*.php') ?: [] as $file) {
            $names[] = strtolower(preg_replace('/(?<=.)(?=[A-Z])/', '-', basename($file, '.php')));
        }
        usort($names, fn(string $a, string $b): int => [$a !== 'fake', $a] <=> [$b !== 'fake', $b]);
        return $names;
    }
}
