<?php

/* Loads the classes of the servers that the demo and the benchmarks start. A program stops its servers before it ends. */

declare(strict_types=1);

spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/' . substr($class, strlen('Servers\\')) . '.php';
    str_starts_with($class, 'Servers\\') && is_file($file) && require $file;
});
