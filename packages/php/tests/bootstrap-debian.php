<?php

/* Runs before the tests for Debian's Laravel, which is in PHP's include path. */

declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED); // Laravel 8.83 is older than this PHP
require_once 'Illuminate/autoload.php';
spl_autoload_register(static function (string $class): void {
    $vendor = (getenv('LARDER_LIB') ?: dirname(__DIR__, 3) . '/build/lib') . '/vendor';
    foreach (['Larder\\Tests\\' => __DIR__, 'Larder\\' => dirname(__DIR__) . '/src', 'Psr\\Cache\\' => "$vendor/psr/cache/src"] as $prefix => $folder) {
        $file = "$folder/" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
            return;
        }
    }
});
require __DIR__ . '/Cache/Values.php';
Larder\Cache\PinnedStore::isFamily(); // from now on, a test shares locks only with processes that it forks
