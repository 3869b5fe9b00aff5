<?php

/* For PHPStan, which runs without the extension. */

declare(strict_types=1);

foreach (['ABSPATH', 'DB_HOST', 'DB_NAME'] as $name) { // of wp-config.php
    define($name, 'text');
}
require_once (getenv('LARDER_LIB') ?: dirname(__DIR__, 3) . '/build/lib') . '/vendor/autoload.php';
