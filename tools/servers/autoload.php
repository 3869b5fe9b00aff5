<?php

/* Servers that a program starts for itself and stops before it ends: the demo and the benchmarks use these classes. */

declare(strict_types=1);

spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/' . substr($class, strlen('Servers\\')) . '.php';
    str_starts_with($class, 'Servers\\') && is_file($file) && require $file;
});
