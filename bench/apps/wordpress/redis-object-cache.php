<?php

declare(strict_types=1);

/* Runs WordPress's drop-in for APCu on Redis. */

require __DIR__ . '/redis-apcu.php';
require __DIR__ . '/apcu-object-cache.php';
