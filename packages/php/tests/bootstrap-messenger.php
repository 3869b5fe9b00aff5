<?php

/* Runs before the tests for Debian's Messenger, which is in PHP's include path. */

declare(strict_types=1);

require __DIR__ . '/bootstrap-debian.php';
require __DIR__ . '/Symfony/messenger-debian.php';
