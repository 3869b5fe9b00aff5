<?php

/* The classes of this folder, of the benchmark application and of the servers they need. */

declare(strict_types=1);

require dirname(__DIR__, 2) . '/tools/servers/autoload.php';
require dirname(__DIR__) . '/app/lib/autoload.php';

spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/' . substr($class, strlen('Bench\\Http\\')) . '.php';
    str_starts_with($class, 'Bench\\Http\\') && is_file($file) && require $file;
});
