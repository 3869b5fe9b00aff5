<?php

/* Before the tests for Messenger on Debian's packages, which are in PHP's include path. */

declare(strict_types=1);

require __DIR__ . '/bootstrap-debian.php';
require __DIR__ . '/Symfony/messenger-debian.php';
