<?php

/* Loads the classes of Larder from src/ when they are first used. Defines nothing where the extension is loaded. */

declare(strict_types=1);

if (\extension_loaded('larder') || \function_exists('Larder\scope')) {
    return;
}

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Larder\\')) {
        $file = __DIR__ . '/src/' . strtr(substr($class, 7), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});

if (PHP_SAPI === 'cli' && \function_exists('pcntl_fork')) {
    Larder\Polyfill\Place::begin();
}

require __DIR__ . '/src/scope.php';
