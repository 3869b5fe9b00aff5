<?php

/* PHPStan loads this file first. It runs without the extension. */

declare(strict_types=1);

foreach (['ABSPATH', 'DB_HOST', 'DB_NAME'] as $name) { // constants that wp-config.php defines
    define($name, 'text');
}
require_once (getenv('LARDER_LIB') ?: dirname(__DIR__, 3) . '/build/lib') . '/vendor/autoload.php';
