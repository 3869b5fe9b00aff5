<?php

/* Loads Symfony's RateLimiter and Semaphore for their tests, from Debian's packages, which are in PHP's include path. */

declare(strict_types=1);

require __DIR__ . '/bootstrap-debian.php';
foreach (['RateLimiter', 'Semaphore', 'Lock', 'OptionsResolver'] as $component) {
    require_once "Symfony/Component/$component/autoload.php";
}
