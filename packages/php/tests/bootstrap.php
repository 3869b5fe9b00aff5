<?php

/* Runs before the tests. Makes the classes of the packages, the suites and the tests loadable. */

declare(strict_types=1);

foreach (['pcntl', 'posix', 'larder'] as $extension) {
    extension_loaded($extension) || throw new RuntimeException("The tests need the extension $extension");
}
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED); // frameworks cause deprecations
$project = dirname(__DIR__, 3);
$loader = require (getenv('LARDER_LIB') ?: "$project/build/lib") . '/vendor/autoload.php';
assert($loader instanceof Composer\Autoload\ClassLoader);
require __DIR__ . '/polyfill.php';
Larder\Cache\PinnedStore::isFamily(); // tests share locks only with processes that they fork
$loader->addPsr4('Larder\\Tests\\', __DIR__);
foreach ([getenv('LARDER_SUITES') ?: '', "$project/../shared/suites", "$project/../../shared/suites"] as $suites) {
    if (is_dir("$suites/php-cache-integration-tests/src")) {
        $loader->addPsr4('Cache\\IntegrationTests\\', "$suites/php-cache-integration-tests/src");
        break;
    }
}
