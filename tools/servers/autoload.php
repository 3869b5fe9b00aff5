<?php

/* Loads classes for servers that a program starts, and stops before it ends. The demo and the benchmarks use them. */

declare(strict_types=1);

spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/' . substr($class, strlen('Servers\\')) . '.php';
    str_starts_with($class, 'Servers\\') && is_file($file) && require $file;
});
