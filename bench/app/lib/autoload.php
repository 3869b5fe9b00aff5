<?php

/* Bench\X lies in lib/X.php, Bench\Driver\X in drivers/X.php, Bench\Queue\X in queues/X.php. Predis has its own
 * autoloader, which the driver and the queue for Predis load. */

declare(strict_types=1);

spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'Bench\\')) {
        $name = substr($class, strlen('Bench\\'));
        $file = dirname(__DIR__) . '/' . (str_contains($name, '\\') ? strtr($name, ['Driver\\' => 'drivers/', 'Queue\\' => 'queues/']) : "lib/$name") . '.php';
        is_file($file) && require $file;
    }
});
